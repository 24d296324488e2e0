export interface DeliveryErrorOptions extends ErrorOptions {
  /** How long the delivery service wants to be left alone. */
  retryAfterSeconds?: number;
}

/**
 * A mail that the delivery service did not take. Every one is tried again, those that the service calls wrong too: a
 * token that was mistyped and a sender that is not confirmed yet must cost no mail.
 */
export class DeliveryError extends Error {
  override name = "DeliveryError";
  readonly retryAfterSeconds: number;

  constructor(message: string, { retryAfterSeconds = 0, ...options }: DeliveryErrorOptions = {}) {
    super(message, options);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
