import type { IncomingMessage } from "node:http";
import { SECOND_MS } from "../duration.ts";
import { allowedAddresses, type Guard, RequestError, sendGuarded } from "../network/guarded_request.ts";
import { retryAfterSeconds } from "../queue/retry.ts";
import type { WebhookSender } from "../services/services.ts";
import { WebhookError } from "./webhook_error.ts";

/** The time for a whole attempt, from the look-up of the name to the head of the response. */
const TIMEOUT_MS = 15 * SECOND_MS;

/** An admin who adds a webhook waits for the look-up of its name. */
const LOOK_UP_MS = 3 * SECOND_MS;

/** How webhooks are sent. */
export interface WebhookSenderOptions {
  /** Whether http and addresses that are not public are allowed too. For development and tests. */
  allowsPrivate: boolean;
  /** The host names and addresses for which they are allowed in production too. */
  privateHosts?: string[];
  resolve?: Guard["resolve"];
  timeoutMs?: number;
  /** Certificates to trust besides those of the system. */
  ca?: string;
}

/**
 * Creates a sender of webhooks. An admin chooses the URL, so `sendGuarded` sends it. Only hosts that the operator names
 * may be inside.
 */
export function createWebhookSender(
  { allowsPrivate, privateHosts = [], resolve, timeoutMs = TIMEOUT_MS, ca }: WebhookSenderOptions,
): WebhookSender {
  const mayBeInside = ({ hostname }: URL) => allowsPrivate || privateHosts.includes(hostname);
  const guard: Guard = { mayBeInside, resolve };
  return {
    async post(url, { headers, body }) {
      const bytes = new TextEncoder().encode(body);
      const signal = AbortSignal.timeout(timeoutMs);
      const request = { headers: { ...headers, "content-length": bytes.length }, body: bytes, signal, ca };
      return await sendGuarded(new URL(url), { method: "POST", ...request }, { guard, read: acceptedStatus })
        .catch((error) => {
          throw error instanceof RequestError ? new WebhookError(error.failure) : error;
        });
    },
    async mayPost(url) {
      const looking = allowedAddresses(new URL(url), guard, AbortSignal.timeout(LOOK_UP_MS));
      // A name that has no address yet may get one.
      return await looking.then(() => true, (error) => !(error instanceof RequestError && error.failure === "address"));
    },
  };
}

function acceptedStatus({ statusCode = 0, headers }: IncomingMessage): number {
  if (statusCode >= 200 && statusCode <= 299) return statusCode;
  throw new WebhookError("status", {
    status: statusCode,
    retryAfterSeconds: retryAfterSeconds(headers["retry-after"]),
  });
}
