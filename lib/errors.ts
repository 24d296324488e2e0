/** Every code a client can meet, with its HTTP status: a closed list. */
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
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  IDP_NOT_CONFIGURED: 404,
  METHOD_NOT_ALLOWED: 405,
  EMAIL_TAKEN: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** Messages by field; a problem of the whole input stands under the name of its nearest field. */
export type ErrorDetails = Record<string, string[]>;

export interface AppErrorOptions extends ErrorOptions {
  details?: ErrorDetails;
  /** Seconds after which the same request may succeed; becomes `Retry-After`. */
  retryAfterSeconds?: number;
  /** The methods that the URL supports; becomes `Allow`. */
  allowedMethods?: string[];
}

/** A failure that the client may know of: `message` and `details` are safe to show. */
export class AppError extends Error {
  override name = "AppError";
  readonly code: ErrorCode;
  readonly details: ErrorDetails;
  readonly retryAfterSeconds?: number;
  readonly allowedMethods?: string[];

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.details = options.details ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.allowedMethods = options.allowedMethods;
  }

  /** The HTTP status that belongs to the code. */
  get status(): number {
    return ERROR_STATUS[this.code];
  }
}

/** Bounds of `details`: clients may send any number of names, of any length. Our own fields stay within them. */
const FIELDS_MAX = 16;
const FIELD_NAME_MAX = 64;
const MESSAGES_MAX = 8;

/** The error of input that broke a rule; an excess of details is left out. Source: spec, Known messages. */
export function validationFailed(details: ErrorDetails): AppError {
  const bounded = Object.entries(details).slice(0, FIELDS_MAX).map(([field, messages]) => [
    field.slice(0, FIELD_NAME_MAX).toWellFormed(),
    messages.slice(0, MESSAGES_MAX),
  ]);
  return new AppError("VALIDATION_FAILED", "Validation failed", { details: Object.fromEntries(bounded) });
}

/** Why a sign-in through the identity provider ends on the login page; stands in its address. Source: spec, Account rule 4. */
export type IdpRefusal = "cancelled" | "idp_failed" | "idp_email";

/** A sign-in through the identity provider that came to nothing; the message is for the log. */
export class IdpError extends Error {
  override name = "IdpError";
  readonly refusal: IdpRefusal;

  constructor(refusal: IdpRefusal, message: string) {
    super(message);
    this.refusal = refusal;
  }
}
