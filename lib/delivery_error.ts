export interface DeliveryErrorOptions extends ErrorOptions {
  /** True where trying again cannot help. */
  isPermanent?: boolean;
  /** How long the delivery service wants to be left alone. */
  retryAfterSeconds?: number;
}

/** A mail that the delivery service did not take. */
export class DeliveryError extends Error {
  override name = "DeliveryError";
  readonly isPermanent: boolean;
  readonly retryAfterSeconds: number;

  constructor(message: string, { isPermanent = false, retryAfterSeconds = 0, ...options }: DeliveryErrorOptions = {}) {
    super(message, options);
    this.isPermanent = isPermanent;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
