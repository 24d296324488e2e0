import type { DeliveryFailure } from "./tables.ts";
import { DeliveryError } from "../queue/delivery_error.ts";

/** What the receiver of a webhook says when it wants nothing more. Source: Standard Webhooks, "Deliverability". */
const GONE = 410;

const MESSAGES: Record<DeliveryFailure, string> = {
  name: "The host has no address",
  address: "The URL does not lead to the public Internet by https, nor to a host in WEBHOOK_PRIVATE_HOSTS",
  connection: "Could not connect to the receiver",
  certificate: "The certificate of the receiver was refused",
  timeout: "The receiver did not respond in time",
  status: "The receiver refused the request",
  secret: "Could not decrypt the secret. Has APP_SECRET changed?",
};

/** A failed attempt to send a webhook. Its message contains nothing of the URL, which may hold a secret. */
export class WebhookError extends DeliveryError {
  override name = "WebhookError";
  readonly failure: DeliveryFailure;

  constructor(
    failure: DeliveryFailure,
    { status, ...options }: { status?: number; retryAfterSeconds?: number } & ErrorOptions = {},
  ) {
    super(MESSAGES[failure], {
      ...options,
      status,
      isFinal: status === GONE,
      answer: status === undefined ? undefined : `status ${status}`,
    });
    this.failure = failure;
  }

  /** Whether the receiver wants nothing more. */
  get isGone(): boolean {
    return this.status === GONE;
  }
}
