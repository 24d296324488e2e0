import { DeliveryError } from "./delivery_error.ts";
import { SECOND_MS } from "../duration.ts";
import type { MailTransport } from "../services.ts";

/** Shorter than the lease of a mail in the outbox, so that no two instances send it at once. */
const TIMEOUT_MS = 10 * SECOND_MS;

export interface DeliveryServiceOptions {
  /** The address of the service's API, to which `/emails` is added. */
  apiUrl: string;
  token: string;
  /** The sender of every mail. */
  from: string;
  timeoutMs?: number;
}

/** Delivers through an HTTP API. The token and what a mail holds never stand in an error. */
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
        body: JSON.stringify({ from, to, subject, html, text }),
        redirect: "manual",
        signal: AbortSignal.timeout(timeoutMs),
      }).catch((cause) => {
        throw new DeliveryError("The delivery service cannot be reached", { cause });
      });
      await response.body?.cancel();
      if (!response.ok) throw refusal(response);
    },
  };
}

function refusal({ status, headers }: Response): DeliveryError {
  return new DeliveryError(`The delivery service answered ${status}`, {
    retryAfterSeconds: retryAfterSeconds(headers.get("Retry-After")),
  });
}

/** Seconds or a date. Source: RFC 9110, 10.2.3. */
function retryAfterSeconds(value: string | null): number {
  if (value === null) return 0;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / SECOND_MS;
  return Math.max(0, seconds) || 0;
}
