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
  ACCOUNT_SUSPENDED: 403,
  ACCOUNT_CLOSING: 403,
  PROOF_WRONG: 403,
  SCOPE_MISSING: 403,
  SESSION_REQUIRED: 403,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  IDP_NOT_CONFIGURED: 404,
  METHOD_NOT_ALLOWED: 405,
  EMAIL_TAKEN: 409,
  IDEMPOTENCY_IN_PROGRESS: 409,
  LAST_SIGN_IN_METHOD: 409,
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

/** Messages by field. A problem with the whole input is listed under the field that is closest to it. */
export type ErrorDetails = Record<string, string[]>;

export interface AppErrorOptions extends ErrorOptions {
  details?: ErrorDetails;
  /** Seconds after which the same request may succeed. Sent as `Retry-After`. */
  retryAfterSeconds?: number;
  /** The methods that the URL supports. Sent as `Allow`. */
  allowedMethods?: string[];
  /** What the client must send to be accepted. Sent as `WWW-Authenticate`. */
  challenge?: string;
  /** Whether the request was a repetition. Sent as `Idempotent-Replayed`. */
  isReplayed?: boolean;
}

/** An error that is reported to the client. `message` and `details` are safe to show. */
export class AppError extends Error {
  override name = "AppError";
  readonly code: ErrorCode;
  readonly details: ErrorDetails;
  readonly retryAfterSeconds?: number;
  readonly allowedMethods?: string[];
  readonly challenge?: string;
  readonly isReplayed: boolean;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.details = options.details ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.allowedMethods = options.allowedMethods;
    this.challenge = options.challenge;
    this.isReplayed = options.isReplayed ?? false;
  }

  /** The HTTP status of the code. */
  get status(): number {
    return ERROR_STATUS[this.code];
  }
}

/** Limits for `details`, because clients can send any number of names of any length. Our own fields are within them. */
const FIELDS_MAX = 16;
const FIELD_NAME_MAX = 64;
const MESSAGES_MAX = 8;

/** Creates the error for invalid input. Details beyond the limits are left out. Source: spec, Known messages. */
export function validationFailed(details: ErrorDetails): AppError {
  const bounded = Object.entries(details).slice(0, FIELDS_MAX).map(([field, messages]) => [
    field.slice(0, FIELD_NAME_MAX).toWellFormed(),
    messages.slice(0, MESSAGES_MAX),
  ]);
  return new AppError("VALIDATION_FAILED", "Validation failed", { details: Object.fromEntries(bounded) });
}

/** The reason for a failed provider login, as the login page receives it in its query. Source: spec, Account rule 4. */
export type IdpRefusal = "cancelled" | "idp_failed" | "idp_email";

/** A failed login through the identity provider. The message is for the log only. */
export class IdpError extends Error {
  override name = "IdpError";
  readonly refusal: IdpRefusal;

  constructor(refusal: IdpRefusal, message: string) {
    super(message);
    this.refusal = refusal;
  }
}
