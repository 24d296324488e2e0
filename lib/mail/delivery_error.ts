/** The options of a {@linkcode DeliveryError}. */
export interface DeliveryErrorOptions extends ErrorOptions {
  /** How long to wait before the next attempt, if the delivery service says so. */
  retryAfterSeconds?: number;
}

/**
 * A failed delivery of an email. Every one is retried, even if the service rejects the request: no email may be lost
 * because of a mistyped token or a sender that is not confirmed yet.
 */
export class DeliveryError extends Error {
  override name = "DeliveryError";
  readonly retryAfterSeconds: number;

  constructor(message: string, { retryAfterSeconds = 0, ...options }: DeliveryErrorOptions = {}) {
    super(message, options);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
