import type { z } from "zod";
import type { Config } from "../../config.ts";
import type { ErrorCode } from "../../errors.ts";

/** What the document says about one method of one URL. */
export interface Operation {
  /** What it does, as a command without a full stop. */
  summary: string;
  /** What a caller should know besides, in Markdown. */
  description?: string;
  /** Who may send it. Public routes also accept a session. */
  access: "public" | "session";
  query?: z.ZodObject;
  /** The schema that validates the body. */
  body?: z.ZodType;
  /** Sends the body as multipart/form-data instead of JSON, with a file in this field. */
  fileField?: string;
  /** The names of request headers from {@linkcode REQUEST_HEADERS}. */
  headers?: (keyof typeof REQUEST_HEADERS)[];
  /** The schema of each successful response by status; null for a response without content. */
  returns: Record<number, z.ZodType | null>;
  /** Headers of successful responses from {@linkcode RESPONSE_HEADERS}. */
  sends?: (keyof typeof RESPONSE_HEADERS)[];
  /** The codes besides those that follow from the rest of the entry. */
  errors?: ErrorCode[];
  /** The policy that limits requests. */
  limit?: keyof Config["limits"];
}

/** Operations by method and path, such as `GET /api/users/{id}`. */
export type Operations = Record<string, Operation>;

/** Declares operations, and checks them without widening their types. */
export function operations<Entries extends Operations>(entries: Entries): Entries {
  return entries;
}

/** The conditional headers of requests. */
export const REQUEST_HEADERS = {
  "If-None-Match": "The `ETag` of the version that you have. If nothing has changed, the response is 304",
  "If-Match": "The `ETag` of the version that you want to change. If there is a newer one, the response is 412",
} as const;

/** The headers of responses that programs read. */
export const RESPONSE_HEADERS = {
  "ETag": "Changes with anything in the response",
  "Set-Cookie": "The session cookie `auth_session`, which opens, renews or ends the session",
  "Location": "Where the browser goes next",
  "Retry-After": "Seconds after which the same request may succeed",
  "RateLimit": 'What is left of the limit, such as `"login";r=4;t=899`',
  "RateLimit-Policy": 'The limit, such as `"login";q=5;w=900`',
  "X-Request-Id": "Names the request in the log",
  "Content-Disposition": "The name under which browsers save the file",
} as const;

/** Splits the key of an operation. */
export function methodAndPath(key: string): { method: string; path: string } {
  const [method, path] = key.split(" ");
  return { method, path };
}

/** All codes that an operation may return, those that follow from its entry included. */
export function errorCodesOf(key: string, { access, query, body, fileField, limit, headers, errors = [] }: Operation) {
  const { method } = methodAndPath(key);
  const isRead = method === "GET";
  const isFile = fileField !== undefined;
  return [
    ...new Set<ErrorCode>([
      ...errors,
      ...(query || body || isFile ? ["VALIDATION_FAILED"] as const : []),
      // A request that needs no body may still send one.
      ...(isRead ? [] : ["INVALID_JSON", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE", "FORBIDDEN"] as const),
      ...(access === "session" ? ["UNAUTHENTICATED"] as const : []),
      ...(headers?.includes("If-Match") ? ["PRECONDITION_FAILED"] as const : []),
      ...(limit ? ["RATE_LIMITED"] as const : []),
      "ACCOUNT_CLOSING" as const,
      "INTERNAL" as const,
      "UNAVAILABLE" as const,
    ]),
  ];
}
