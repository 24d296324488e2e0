import type { ErrorDetails } from "../errors.ts";

/** What came back, errors included: `status` is 0 where nothing did. */
export interface Answer {
  status: number;
  isOk: boolean;
  /** In the words of the server, or about the connection. */
  message: string;
  details: ErrorDetails;
  body: Record<string, unknown>;
}

export interface SendOptions {
  /** Sent as JSON; `content` is sent as it is. */
  json?: unknown;
  content?: Blob | FormData;
  contentType?: string;
  /** From 0 to 1. */
  onProgress?(share: number): void;
  signal?: AbortSignal;
}

export const NO_CONNECTION = "There is no connection. Nothing is lost: please try again";
const NO_ANSWER = "The server does not answer. Nothing is lost: please try again";
const ANSWER_TIMEOUT_MS = 30_000;

/** Sends a request. It is none of `fetch`, which cannot tell how far an upload has come. Never rejects. */
export function send(method: "POST" | "PUT", url: string, options: SendOptions): Promise<Answer> {
  const { json, content, contentType, onProgress, signal } = options;
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    const type = json === undefined ? contentType : "application/json";
    if (type !== undefined) request.setRequestHeader("Content-Type", type);
    // Content takes as long as it takes.
    request.timeout = json === undefined ? 0 : ANSWER_TIMEOUT_MS;
    request.ontimeout = () => resolve({ ...answerOf(request), message: NO_ANSWER });
    request.upload.onprogress = ({ loaded, total }) => onProgress?.(loaded / total);
    request.onloadend = () => resolve(answerOf(request));
    signal?.addEventListener("abort", () => request.abort());
    request.send(json === undefined ? content : JSON.stringify(json));
  });
}

function answerOf({ status, responseText }: XMLHttpRequest): Answer {
  const body = parseBody(responseText);
  const message = status === 0 ? NO_CONNECTION : body.message ?? "This did not work. Please try again";
  return {
    status,
    isOk: status >= 200 && status < 300,
    message: String(message),
    details: (body.details ?? {}) as ErrorDetails,
    body,
  };
}

function parseBody(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text);
  } catch {
    return {}; // a proxy's page, or nothing
  }
}
