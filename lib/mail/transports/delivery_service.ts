import { firstBytes } from "../../bytes/bytes.ts";
import { SECOND_MS } from "../../duration.ts";
import { innermostMessageOf } from "../../log/log.ts";
import { DeliveryError } from "../../queue/delivery_error.ts";
import { retryAfterSeconds } from "../../queue/retry.ts";
import type { MailTransport } from "../../services/services.ts";
import { MAIL_HEADERS } from "./headers.ts";
import { type AnswerSecrets, safeAnswer } from "./safe_answer.ts";

/** Shorter than the lease of an email in the outbox, so that two instances never send it at the same time. */
const TIMEOUT_MS = 10 * SECOND_MS;

/** More than the characters that are kept need, also where each of them is part of a link. */
const ANSWER_MAX_BYTES = 4096;

/** How to reach the delivery service. */
export interface DeliveryServiceOptions {
  /** The base URL of the service's API. Emails are sent to `/emails` below it. */
  apiUrl: string;
  token: string;
  /** The sender of every email. */
  from: string;
  timeoutMs?: number;
}

/**
 * Creates a transport that delivers through an HTTP API. Its errors contain neither the token nor parts of the email.
 */
export function createDeliveryService(
  { apiUrl, token, from, timeoutMs = TIMEOUT_MS }: DeliveryServiceOptions,
): MailTransport {
  const endpoint = `${apiUrl.replace(/\/+$/, "")}/emails`;
  return {
    async send({ to, subject, html, text }, idempotencyKey) {
      const response = await fetch(endpoint, {
        method: "POST",
        headers: {
          "Authorization": `Bearer ${token}`,
          "Content-Type": "application/json",
          "Idempotency-Key": idempotencyKey,
        },
        body: JSON.stringify({ from, to, subject, html, text, headers: MAIL_HEADERS }),
        redirect: "manual",
        signal: AbortSignal.timeout(timeoutMs),
      }).catch((cause) => {
        throw new DeliveryError("Could not reach the delivery service", { cause });
      });
      if (!response.ok) throw await deliveryErrorOf(response, { token, to });
      await response.body?.cancel();
    },
    /** Only connects: what such a service says to anything but an email does not tell whether it takes emails. */
    async tryOut() {
      const options = { method: "HEAD", redirect: "manual", signal: AbortSignal.timeout(timeoutMs) } as const;
      const { body } = await fetch(endpoint, options).catch((cause) => {
        throw new DeliveryError(`${new URL(endpoint).host} cannot be reached: ${innermostMessageOf(cause)}`);
      });
      await body?.cancel();
      return `${new URL(endpoint).host} can be reached. EMAIL_API_TOKEN was not tried`;
    },
  };
}

async function deliveryErrorOf(
  { status, headers, body }: Response,
  secrets: AnswerSecrets,
): Promise<DeliveryError> {
  // Services that break off have answered nothing.
  const start = await firstBytes(body, ANSWER_MAX_BYTES).catch(() => new Uint8Array());
  return new DeliveryError(`The delivery service responded with ${status}`, {
    retryAfterSeconds: retryAfterSeconds(headers.get("Retry-After")),
    answer: safeAnswer(new TextDecoder().decode(start), secrets),
  });
}
