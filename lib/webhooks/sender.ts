import { lookup } from "node:dns/promises";
import { type ClientRequest, type IncomingMessage, request as requestByHttp } from "node:http";
import { request as requestByHttps } from "node:https";
import type { LookupFunction } from "node:net";
import type { DeliveryFailure } from "./tables.ts";
import { SECOND_MS } from "../duration.ts";
import { addressInUrl, isPublicAddress } from "../network/public_address.ts";
import { retryAfterSeconds } from "../queue/retry.ts";
import type { WebhookMessage, WebhookSender } from "../services/services.ts";
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
  /** Returns the addresses of a host name. By default, the system does. */
  resolve?(hostname: string): Promise<string[]>;
  timeoutMs?: number;
  /** Certificates to trust besides those of the system. */
  ca?: string;
}

/**
 * Creates a sender of webhooks. An admin chooses the URL, so it must not reach what only this machine can reach: the
 * name is resolved once, all its addresses must be public, and the connection goes to one of them. Only hosts that the
 * operator names may be inside. Redirects are not followed. Each request has a connection of its own, because a kept
 * one may make the client send the request twice.
 */
export function createWebhookSender(
  { allowsPrivate, privateHosts = [], resolve = resolveBySystem, timeoutMs = TIMEOUT_MS, ca }: WebhookSenderOptions,
): WebhookSender {
  /** Returns the addresses to which a message for this URL may be sent. */
  async function allowedAddresses(target: URL, signal: AbortSignal): Promise<string[]> {
    const mayBeInside = allowsPrivate || privateHosts.includes(target.hostname);
    if (target.protocol !== "https:" && !mayBeInside) throw new WebhookError("address");
    const addresses = await orTimeout(addressesOf(target, resolve), signal);
    if (!mayBeInside && !addresses.every(isPublicAddress)) throw new WebhookError("address");
    return addresses;
  }

  return {
    async post(url, message) {
      const target = new URL(url);
      const signal = AbortSignal.timeout(timeoutMs);
      const [address] = await allowedAddresses(target, signal);
      return await send(target, message, { address, signal, ca });
    },
    async mayPost(url) {
      const looking = allowedAddresses(new URL(url), AbortSignal.timeout(LOOK_UP_MS));
      // A name that has no address yet may get one.
      return await looking.then(() => true, (error) => !(error instanceof WebhookError && error.failure === "address"));
    },
  };
}

async function addressesOf(url: URL, resolve: (hostname: string) => Promise<string[]>): Promise<string[]> {
  const address = addressInUrl(url);
  if (address !== null) return [address];
  const addresses = await resolve(url.hostname).catch(() => []);
  if (addresses.length === 0) throw new WebhookError("name");
  return addresses;
}

async function resolveBySystem(hostname: string): Promise<string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}

function orTimeout<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(new WebhookError("timeout")), { once: true });
  return Promise.race([work, promise]);
}

/** Sends the request to this address. The certificate must be valid for the name in the URL. */
async function send(
  url: URL,
  { headers, body }: WebhookMessage,
  { address, signal, ca }: { address: string; signal: AbortSignal; ca?: string },
): Promise<number> {
  const family = address.includes(":") ? 6 : 4;
  const toAddress: LookupFunction = (_hostname, { all }, callback) =>
    all ? callback(null, [{ address, family }]) : callback(null, address, family);
  const bytes = new TextEncoder().encode(body);
  const request = (url.protocol === "https:" ? requestByHttps : requestByHttp)(url, {
    method: "POST",
    headers: { ...headers, "content-length": bytes.length },
    agent: false,
    lookup: toAddress,
    ca,
  });
  try {
    const response = await orTimeout(responseOf(request, bytes), signal);
    return acceptedStatus(response);
  } finally {
    request.destroy(); // the body of the response does not matter, and may never end
  }
}

async function responseOf(request: ClientRequest, body: Uint8Array): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request.on("response", resolve);
  // Stays, because a request that is given up may still fail.
  request.on("error", (error: Error & { code?: string }) => reject(new WebhookError(failureOf(error))));
  request.end(body);
  return await promise;
}

/** What the certificate of the receiver can be refused for. Deno reports it only in the message. */
function failureOf({ code = "", message }: Error & { code?: string }): DeliveryFailure {
  return /cert|tls|ssl/i.test(`${code} ${message}`) ? "certificate" : "connection";
}

function acceptedStatus({ statusCode = 0, headers }: IncomingMessage): number {
  if (statusCode >= 200 && statusCode <= 299) return statusCode;
  throw new WebhookError("status", {
    status: statusCode,
    retryAfterSeconds: retryAfterSeconds(headers["retry-after"]),
  });
}
