/** The options of a {@linkcode DeliveryError}. */
export interface DeliveryErrorOptions extends ErrorOptions {
  /** How long to wait before the next attempt, if the receiver says so. */
  retryAfterSeconds?: number;
  /** Whether another attempt is useless, because the recipient does not exist. */
  isFinal?: boolean;
  /** What the receiver said, safe to log. */
  answer?: string;
  /** The status of the response over HTTP; undefined without one. */
  status?: number;
}

/**
 * A failed delivery. It is retried, even if the receiver rejects the request: nothing may be lost because of a mistyped
 * token or a sender that is not confirmed yet. Only what the receiver refuses for good is final.
 */
export class DeliveryError extends Error {
  override name = "DeliveryError";
  readonly retryAfterSeconds: number;
  readonly isFinal: boolean;
  readonly answer?: string;
  readonly status?: number;

  constructor(
    message: string,
    { retryAfterSeconds = 0, isFinal = false, answer, status, ...options }: DeliveryErrorOptions = {},
  ) {
    super(message, options);
    this.retryAfterSeconds = retryAfterSeconds;
    this.isFinal = isFinal;
    this.answer = answer;
    this.status = status;
  }
}
