import type { z } from "zod";
import type { OAuthErrorCode } from "../authorization_server/tokens/oauth_error.ts";
import type { Config } from "../config/config.ts";
import type { UploadPart } from "../config/uploads_setting.ts";
import type { ErrorCode } from "../errors/errors.ts";
import type { Limit } from "../limits/policy.ts";
import { ADMIN_SCOPE, isServiceScope, type Scope, type ServiceScope, type TokenAccess } from "../schemas/scopes.ts";

/**
 * One endpoint: what it requires, takes and returns. It stands in the file of its route, which follows from its path.
 * The route obeys it (lib/web/endpoints/), and the API document is made from it.
 */
export type Entry = EntryFacts & EntryCaller;

/** Who may send the request. */
type EntryCaller = {
  /** Anyone, also with a session. */
  caller: "public";
  /** What an API token needs. Default: no token is accepted. */
  tokens?: TokenAccess;
} | {
  /**
   * "session": the person of a session. A scope: the same, or a program whose API token has this scope. "sessions":
   * every session that the request presents, even those of different people. "adminSession": an admin in a session. For
   * the scope `admin`, the person of a session must be an admin too.
   */
  caller: "session" | "sessions" | "adminSession" | Scope;
  tokens?: undefined;
};

interface EntryFacts {
  /** A verb and what it acts on, such as `listUsers`. Generated clients name their functions after it. */
  operationId: string;
  /** Leaves it out of the API document. */
  isUndocumented?: true;
  /** What it does, as a command without a full stop. */
  summary: string;
  /** What a caller should know besides, in Markdown. */
  description?: string;
  /** Whether it accepts the session of an account that is closing. */
  whileClosing: "open" | "refused";
  /** Whether it accepts a session that waits until its person has set up a second factor. By default, it does not. */
  whileWaiting?: "open";
  /** Refuses callers who have not confirmed their address. */
  needsVerifiedEmail?: true;
  /** Requires a recent proof from the person of a session. API tokens need none. */
  needsProof?: true;
  /**
   * The scope with which an app that acts as itself may call it, besides that of `caller`. Without it, such an app
   * needs the scope of `caller` or `tokens`, and is refused where that is about the caller's own account.
   */
  serviceScope?: ServiceScope;
  /** Refuses the access tokens of apps, whatever their scopes, except for the operator's own. */
  ownAppsOnly?: true;
  /** What it belongs to, if UPLOADS can switch it off. Then it does not exist, and the document leaves it out. */
  uploads?: UploadPart;
  /** Throws NOT_FOUND where the operator has not switched it on. */
  requireFeature?(config: Config): void;
  /** The policy that limits requests, or the reason for having none. Only GET may leave it out. */
  limit?: Limit;
  query?: z.ZodObject;
  /** The schema that validates the body. */
  body?: z.ZodType;
  /** Whether the body may be left out. Then it counts as an empty object. */
  bodyIsOptional?: true;
  /** Takes the body as multipart/form-data instead of JSON, with a file in this field. */
  file?: { field: string; maxBytes: number };
  /** The form that apps send, for the document: it is read by the rules of OAuth. */
  form?: z.ZodObject;
  /** For the endpoints that apps call: what they present there, and the errors, which have the form of OAuth. */
  forApps?: { presents: "client" | "accessToken"; errors: readonly OAuthErrorCode[] };
  /** The names of request headers from {@linkcode REQUEST_HEADERS}. */
  headers?: readonly (keyof typeof REQUEST_HEADERS)[];
  /** The schema of each successful response by status; null for a response without content. The first one is usual. */
  returns: Record<number, z.ZodType | null>;
  /** The field of the response whose content the `ETag` identifies. */
  etagOf?: string;
  /** Whether it accepts an `Idempotency-Key`. */
  isRepeatable?: true;
  /** Headers of successful responses from {@linkcode RESPONSE_HEADERS}. `Link` leads to the next part of a list. */
  sends?: readonly (keyof typeof RESPONSE_HEADERS)[];
  /** Codes that do not follow from the rest of the entry. */
  errors?: readonly ErrorCode[];
}

/** What an API token needs to use the endpoint. */
export function tokenAccessOf({ caller, tokens = null }: Entry): TokenAccess {
  if (caller === "public") return tokens;
  return caller === "sessions" ? "session" : caller;
}

/**
 * What an app that acts as itself needs to use the endpoint: one of the scopes; "user" if the endpoint is about the
 * caller's own account; "session" if it needs the session of an admin; null if no scope covers it.
 */
export function serviceAccessOf(entry: Entry): ServiceScope[] | "user" | "session" | null {
  const access = tokenAccessOf(entry);
  const own = entry.serviceScope === undefined ? [] : [entry.serviceScope];
  if (access !== null && isServiceScope(access)) return [...own, access];
  if (own.length > 0) return own;
  if (access === "adminSession") return "session";
  return access === null ? null : "user";
}

/** Whether only admins may use the endpoint. For everyone else it does not exist. */
export function isForAdmins({ caller }: Entry): boolean {
  return caller === ADMIN_SCOPE || caller === "adminSession";
}

/** The headers of requests. */
export const REQUEST_HEADERS = {
  "Idempotency-Key":
    "1 to 255 visible ASCII characters. The same request with the same key gets the first response again",
  "If-None-Match": "The `ETag` of the version that you have. If nothing has changed, the response is 304",
  "If-Match": "The `ETag` of the version that you want to change. If there is a newer one, the response is 412",
} as const;

/** The headers of responses that programs read. */
export const RESPONSE_HEADERS = {
  "ETag": "Changes with anything in the response",
  "Set-Cookie": "The session cookie `auth_session`, which opens, renews or ends the session",
  "Link": 'The next part of the list, as `<url>; rel="next"`',
  "Location": "Where the browser goes next",
  "Idempotent-Replayed": "`true` if this is the response to an earlier request",
  "WWW-Authenticate": "What is wrong with the token, and where apps get one",
  "X-Foyer-User-Id": "The id of the user",
  "X-Foyer-User-Email": "The address of the user",
  "X-Foyer-User-Email-Verified": "Whether the user has confirmed the address",
  "X-Foyer-User-Name": "The name of the user, percent-encoded as UTF-8",
  "X-Foyer-User-Picture": "The address of the user's photo; empty without one",
  "X-Foyer-User-Role": "`user` or `admin`",
  "X-Foyer-User-Groups": "The names of the groups of the user, separated by commas",
  "X-Foyer-User-Session": "The id of the session, as `sid` in tokens; empty with an API token",
  "Retry-After": "Seconds after which the same request may succeed",
  "RateLimit": 'What is left of the limit, such as `"login";r=4;t=899`',
  "RateLimit-Policy": 'The limit, such as `"login";q=5;w=900`',
  "X-Request-Id": "Names the request in the log",
  "Content-Disposition": "The name under which browsers save the response",
} as const;

/** Splits the key of an entry. */
export function methodAndPath(key: string): { method: string; path: string } {
  const [method, path] = key.split(" ");
  return { method, path };
}

const BODY_ERRORS = [
  "VALIDATION_FAILED",
  "INVALID_JSON",
  "PAYLOAD_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
  "FORBIDDEN",
] as const;

/** How API tokens are refused, unless a scope covers the route. */
const TOKEN_ERRORS: Partial<Record<string, ErrorCode[]>> = {
  session: ["SESSION_REQUIRED"],
  adminSession: ["SESSION_REQUIRED", "SCOPE_MISSING"],
};

/** All codes that an endpoint may return, including what follows from the rest of its entry. */
export function errorCodesOf(key: string, entry: Entry): ErrorCode[] {
  const { query, headers, isRepeatable, requireFeature, needsVerifiedEmail, needsProof, errors = [] } = entry;
  const isRead = methodAndPath(key).method === "GET";
  return [
    ...new Set<ErrorCode>([
      ...(requireFeature || isForAdmins(entry) ? ["NOT_FOUND"] as const : []),
      ...(needsVerifiedEmail ? ["EMAIL_NOT_VERIFIED"] as const : []),
      ...(needsProof ? ["REAUTHENTICATION_REQUIRED"] as const : []),
      ...errors,
      ...(query ? ["VALIDATION_FAILED"] as const : []),
      // A request that needs no body may still send one, which may end early.
      ...(isRead ? [] : BODY_ERRORS),
      ...(headers?.includes("If-Match") ? ["PRECONDITION_FAILED"] as const : []),
      ...(isRepeatable ? ["IDEMPOTENCY_IN_PROGRESS", "IDEMPOTENCY_KEY_REUSED"] as const : []),
      ...TOKEN_ERRORS[tokenAccessOf(entry) ?? "none"] ?? ["SCOPE_MISSING"] as const,
      ...(serviceAccessOf(entry) === "user" ? ["USER_REQUIRED"] as const : []),
      // Public routes too refuse a bad API token, and one that is used too often.
      "UNAUTHENTICATED",
      "RATE_LIMITED",
      "ACCOUNT_CLOSING",
      "SECOND_FACTOR_SETUP_REQUIRED",
      "INTERNAL",
      "UNAVAILABLE",
    ]),
  ];
}
