import type { FieldProblems } from "./problem.ts";

/** All error codes of the API, with their HTTP statuses. */
export const ERROR_STATUS = {
  VALIDATION_FAILED: 400,
  INVALID_JSON: 400,
  INVALID_STATE: 400,
  INVALID_TOKEN: 400,
  FILE_TYPE_NOT_ALLOWED: 400,
  FILE_SIGNATURE_MISMATCH: 400,
  IMAGE_INVALID: 400,
  INVALID_CREDENTIALS: 401,
  UNAUTHENTICATED: 401,
  EMAIL_NOT_VERIFIED: 403,
  REAUTHENTICATION_REQUIRED: 403,
  SECOND_FACTOR_REQUIRED: 403,
  SECOND_FACTOR_SETUP_REQUIRED: 403,
  ACCOUNT_SUSPENDED: 403,
  ACCOUNT_CLOSING: 403,
  REGISTRATION_CLOSED: 403,
  PASSWORDS_OFF: 403,
  PROVIDER_REQUIRED: 403,
  PROOF_WRONG: 403,
  SCOPE_MISSING: 403,
  SESSION_REQUIRED: 403,
  USER_REQUIRED: 403,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  IDP_NOT_CONFIGURED: 404,
  METHOD_NOT_ALLOWED: 405,
  EMAIL_GONE: 409,
  EMAIL_TAKEN: 409,
  GROUP_IN_USE: 409,
  IDEMPOTENCY_IN_PROGRESS: 409,
  LAST_ADMIN: 409,
  LAST_SECOND_FACTOR: 409,
  LAST_SIGN_IN_METHOD: 409,
  MANAGED_BY_FILE: 409,
  NOT_UPLOADED: 409,
  TOO_MANY: 409,
  UPLOAD_IN_PROGRESS: 409,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  QUOTA_EXCEEDED: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_KEY_REUSED: 422,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** The data of each error: what a sentence about it needs. `reason` tells apart the causes that share a code. */
interface ErrorData {
  VALIDATION_FAILED:
    | { reason: "fields"; fields: FieldProblems }
    | { reason: "files"; stored: number; refused: RefusedFile[] }
    | { reason: InvalidRequest };
  INVALID_JSON: { reason: "utf8" | "syntax" | "object" };
  FILE_TYPE_NOT_ALLOWED: { reason: "image" } | { reason: "type"; contentType: string };
  FILE_SIGNATURE_MISMATCH: { contentType: string };
  IMAGE_INVALID:
    | { reason: "undecodable" | "slow" | "interlaced" | "colors" }
    | { reason: "type"; contentType: string }
    | { reason: "side" | "pixels" | ImagePart; max: number };
  INVALID_CREDENTIALS: { reason: "password" | "code" | "passkey" };
  UNAUTHENTICATED: { reason: "guest" | "unconfirmed" | "token" | "session" | "account" | "secondStep" };
  EMAIL_NOT_VERIFIED: { reason: "login" | "action" | "loginLink" };
  REAUTHENTICATION_REQUIRED: {
    methods: ProofMethod[];
    /** The field of a form that asks for the proof. */
    field?: string;
  };
  SECOND_FACTOR_REQUIRED: { methods: string[] };
  PROOF_WRONG: {
    proof: ProofKind;
    field: string;
    /** What works instead, if this proof cannot be checked at all. */
    methods?: string[];
  };
  REGISTRATION_CLOSED: { reason: "invited" | "closed" };
  LAST_SIGN_IN_METHOD: { reason: "last" | "required" };
  PASSWORDS_OFF: { reason: "existing" | "off" };
  PROVIDER_REQUIRED: {
    /** Its key. */
    provider: string;
  };
  SCOPE_MISSING: { scopes: string[] };
  FORBIDDEN:
    | { reason: "origin" | "window" | "put" | "otherUser" | "uploadUrl" | "replaced" | "group" }
    | { reason: "size"; sizeBytes: number };
  NOT_FOUND: {
    reason:
      | "page"
      | "user"
      | "session"
      | "device"
      | "token"
      | "passkey"
      | "identity"
      | "authenticator"
      | "upload"
      | "file"
      | "link"
      | "accessTokens"
      | "signInCodes"
      | "factorReset"
      | "mail"
      | "webhook"
      | "group"
      | "app"
      | "secret"
      | "delivery"
      | "logo";
  };
  IDP_NOT_CONFIGURED: { reason: "unknown" | "default" };
  METHOD_NOT_ALLOWED: {
    /** The methods that the URL supports. Sent as `Allow`. */
    allowedMethods?: string[];
  };
  EMAIL_TAKEN: { field: string };
  GROUP_IN_USE: { by: string };
  IDEMPOTENCY_IN_PROGRESS: Retry;
  UPLOAD_IN_PROGRESS: Retry;
  QUOTA_EXCEEDED: { reason: "full" | "unverified" };
  NOT_UPLOADED: { reason: "nothing" | "storing" | "refused" };
  TOO_MANY: {
    reason:
      | "tokens"
      | "passkeys"
      | "webhooks"
      | "webhookSecrets"
      | "groups"
      | "groupsOfPerson"
      | "clients"
      | "clientSecrets";
    max: number;
  };
  PAYLOAD_TOO_LARGE:
    | { reason: "body" | "file" | "upload" | "image"; maxBytes: number }
    | { reason: "text"; maxBytes: number; field: string }
    | { reason: "declared" };
  UNSUPPORTED_MEDIA_TYPE: { reason: "type"; expected: string } | { reason: "multipart" | "encoding" };
  RATE_LIMITED: Retry & { reason: "login"; windowSeconds: number } | Retry & { reason: "requests" };
  UNAVAILABLE: Retry & { reason: Outage | "busy" | "changed" | "deleted" | "running" };
}

/** What cannot be used at the moment. `private`: storing private files. */
type Outage = "restart" | "conversion" | "provider" | "database" | "storage" | "private";

/** One of several files, and the error that kept it from being stored. */
export interface RefusedFile extends Pick<AppError, "code" | "data"> {
  name: string;
}

/** Why a request is invalid as a whole. */
type InvalidRequest =
  | "url"
  | "late"
  | "chunks"
  | "incomplete"
  | "range"
  | "digest"
  | "formFields"
  | "parameters"
  | "credential"
  | FormDefect;

/** How a multipart form breaks its format. */
export type FormDefect =
  | "noBoundary"
  | "start"
  | "end"
  | "parts"
  | "partHeaders"
  | "partName"
  | "partEncoding"
  | "formText";

/** What an image has too many of. */
export type ImagePart = "scans" | "frames" | "parts" | "textBytes";

/** How people can prove again who they are. `code` is an emailed one. */
export type ProofMethod = "password" | "totp" | "passkey" | "code";
/** What people enter as a proof. */
export type ProofKind = "password" | "code" | "credential";

interface Retry {
  /** Seconds after which the same request may succeed. Sent as `Retry-After`. */
  retryAfterSeconds: number;
}

/** The data of an error with this code. */
export type ErrorDataOf<Code extends ErrorCode> = Code extends keyof ErrorData ? ErrorData[Code] : unknown;

type ErrorArguments<Code extends ErrorCode> = Partial<ErrorDataOf<Code>> extends ErrorDataOf<Code>
  ? [data?: ErrorDataOf<Code> & ErrorOptions]
  : [data: ErrorDataOf<Code> & ErrorOptions];

/** An error that is reported to the client: a code, and data from which each audience gets its own sentence. */
export class AppError<Code extends ErrorCode = ErrorCode> extends Error {
  override name = "AppError";
  readonly code: Code;
  readonly data: ErrorDataOf<Code>;

  /** @param args the data of the code, and the cause. */
  constructor(code: Code, ...args: ErrorArguments<Code>) {
    const { cause, ...data } = (args[0] ?? {}) as ErrorOptions & { reason?: string };
    super(data.reason === undefined ? code : `${code}: ${data.reason}`, cause === undefined ? {} : { cause });
    this.code = code;
    this.data = data as ErrorDataOf<Code>;
  }

  /** The HTTP status of the code. */
  get status(): number {
    return ERROR_STATUS[this.code];
  }

  /** Whether the error has this code, and so its data. */
  is<Other extends ErrorCode>(code: Other): this is AppError<Other> {
    return this.code as ErrorCode === code;
  }

  /** Seconds after which the same request may succeed, if the error says so. */
  get retryAfterSeconds(): number | undefined {
    return (this.data as Partial<Retry>).retryAfterSeconds;
  }

  /** The only field that the error is about, if it is about one. */
  get field(): string | undefined {
    return (this.data as { field?: string }).field;
  }
}

/**
 * Limits for the fields of an error, because clients can send any number of names of any length. Our own are within
 * them.
 */
const FIELDS_MAX = 16;
const FIELD_NAME_MAX = 64;
const PROBLEMS_MAX = 8;

/**
 * Creates the error for invalid input. Problems beyond the limits are left out. Source: docs/rules.md, Fixed messages.
 */
export function validationFailed(fields: FieldProblems): AppError<"VALIDATION_FAILED"> {
  const bounded = Object.entries(fields).slice(0, FIELDS_MAX).map(([field, problems]) => [
    field.slice(0, FIELD_NAME_MAX).toWellFormed(),
    problems.slice(0, PROBLEMS_MAX),
  ]);
  return new AppError("VALIDATION_FAILED", { reason: "fields", fields: Object.fromEntries(bounded) });
}

/**
 * The reason for a failed provider login, as the login page receives it in its query. Source: docs/rules.md, Sign-in
 * through a provider.
 */
export type IdpRefusal = "cancelled" | "idp_failed" | "idp_email" | "idp_email_withheld" | "registration_closed";

/** The request to a provider, or the check, that failed. */
export type ProviderStep = "discovery" | "token" | "userinfo" | "id_token";

/** What operators need to know about a failure at a provider. It is safe to log. */
export interface ProviderFailure {
  /** The key of the provider. */
  provider: string;
  step?: ProviderStep;
  host?: string;
  status?: number;
  /** The code and the description that the provider sent. */
  error?: string;
  errorDescription?: string;
  /** The variable, or the permission at the provider, to look at. */
  hint: string;
}

/** A failed login through the identity provider. The message is for the log only. */
export class IdpError extends Error {
  override name = "IdpError";
  readonly refusal: IdpRefusal;
  readonly failure?: ProviderFailure;

  constructor(refusal: IdpRefusal, message: string, failure?: ProviderFailure) {
    super(message);
    this.refusal = refusal;
    this.failure = failure;
  }
}
