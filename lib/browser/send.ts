import type { ErrorCode } from "../errors/errors.ts";

/** Why a request failed: the API's error code, or that there was no response. */
export type FailureCode = ErrorCode | "NO_RESPONSE";

/** The result of a request, whether it succeeded or failed. */
export interface Reply {
  isOk: boolean;
  /** Undefined on success, and for an error without a known code, such as a proxy's error page. */
  code?: FailureCode;
  /** Whether the same request may succeed later. False if its content was refused. */
  isRetryable: boolean;
  /** The names of the fields that the server refused. */
  refusedFields: string[];
  /** Zero if the code is not RATE_LIMITED or the time is unknown. */
  retryAfterSeconds: number;
  body: Record<string, unknown>;
  /** The strong entity tag of the response, or "". */
  etag: string;
}

export interface SendOptions {
  /** Sent as JSON. */
  json?: unknown;
  /** Sent unchanged. */
  content?: Blob | FormData;
  contentType?: string;
  /** Receives the share of the content that has been sent, from 0 to 1. */
  onProgress?(share: number): void;
  signal?: AbortSignal;
  /** The entity tag of the only version that the request may change. */
  ifMatch?: string;
}

const RESPONSE_TIMEOUT_MS = 30_000;
/** The object store and proxies send these statuses without one of our codes. */
const CODE_OF_STATUS: Record<number, FailureCode> = {
  0: "NO_RESPONSE",
  401: "UNAUTHENTICATED",
  403: "FORBIDDEN",
  413: "PAYLOAD_TOO_LARGE",
  429: "RATE_LIMITED",
  503: "UNAVAILABLE",
};

/** Bad request, too large, unsupported type, unprocessable. */
const CONTENT_REFUSED = [400, 413, 415, 422];

/** Sends a request. Uses XMLHttpRequest because `fetch` cannot report upload progress. Never rejects. */
export function send(method: "GET" | "POST" | "PUT", url: string, options: SendOptions): Promise<Reply> {
  const { json, content, contentType, onProgress, signal, ifMatch } = options;
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    if (signal?.aborted) return resolve(replyOf(request));
    const type = json === undefined ? contentType : "application/json";
    if (type !== undefined) request.setRequestHeader("Content-Type", type);
    if (ifMatch !== undefined) request.setRequestHeader("If-Match", ifMatch);
    // Uploads have no timeout: a large file on a slow connection takes minutes.
    request.timeout = json === undefined ? 0 : RESPONSE_TIMEOUT_MS;
    request.upload.onprogress = ({ loaded, total }) => onProgress?.(loaded / total);
    request.onloadend = () => resolve(replyOf(request));
    signal?.addEventListener("abort", () => request.abort());
    request.send(json === undefined ? content : JSON.stringify(json));
  });
}

function replyOf(request: XMLHttpRequest): Reply {
  const { status, responseText } = request;
  const body = parseBody(responseText);
  const code = body.code as FailureCode | undefined ?? CODE_OF_STATUS[status];
  return {
    isOk: status >= 200 && status < 300,
    code,
    isRetryable: !CONTENT_REFUSED.includes(status),
    refusedFields: Object.keys(body.details ?? {}),
    retryAfterSeconds: code === "RATE_LIMITED" ? Number(request.getResponseHeader("Retry-After")) || 0 : 0,
    body,
    // Proxies that compress a response make its tag weak. If-Match takes only strong ones.
    etag: request.getResponseHeader("ETag")?.replace("W/", "") ?? "",
  };
}

/** Returns an empty object for anything but JSON, such as a proxy's error page. */
function parseBody(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
