import { lookup } from "node:dns/promises";
import { type ClientRequest, type IncomingMessage, request as requestByHttp } from "node:http";
import { request as requestByHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { addressInUrl, isPublicAddress } from "./public_address.ts";

/** Why a request got no response: the name of the host, its address, the connection, the certificate or the time. */
export type RequestFailure = "name" | "address" | "connection" | "certificate" | "timeout";

/** A request that got no response. Its message contains nothing of the URL, which may hold a secret. */
export class RequestError extends Error {
  override name = "RequestError";

  constructor(readonly failure: RequestFailure) {
    super(failure);
  }
}

/** Which hosts requests may reach. */
export interface Guard {
  /** Whether http and addresses that are not public are allowed too. */
  mayBeInside(url: URL): boolean;
  /** Returns the addresses of a host name. By default, the system does. */
  resolve?(hostname: string): Promise<string[]>;
}

/** What is sent. */
export interface GuardedRequest {
  method: "GET" | "POST";
  headers: Record<string, string | number>;
  body?: Uint8Array;
  /** Ends the request, and the reading of its response. */
  signal: AbortSignal;
  /** Certificates to trust besides those of the system. */
  ca?: string;
}

/**
 * Sends a request to a URL that others have chosen, so it must not reach what only this machine can reach: the name is
 * resolved once, all its addresses must be public, and the connection goes to one of them. Redirects are not followed.
 * Each request has a connection of its own, because a kept one may make the client send the request twice.
 *
 * @param read gets the head of the response, and may read its body. Then the connection ends.
 * @throws {RequestError}
 */
export async function sendGuarded<Value>(
  url: URL,
  { signal, body, ...options }: GuardedRequest,
  { guard, read }: { guard: Guard; read(response: IncomingMessage): Value | Promise<Value> },
): Promise<Value> {
  const [address] = await allowedAddresses(url, guard, signal);
  const family = address.includes(":") ? 6 : 4;
  const toAddress: LookupFunction = (_hostname, { all }, callback) =>
    all ? callback(null, [{ address, family }]) : callback(null, address, family);
  const send = url.protocol === "https:" ? requestByHttps : requestByHttp;
  const request = send(url, { ...options, agent: false, lookup: toAddress });
  try {
    return await orTimeout(responseOf(request, body).then(read), signal);
  } finally {
    request.destroy(); // what is left of the body does not matter, and may never end
  }
}

/**
 * Returns the addresses to which a request for this URL may be sent.
 *
 * @throws {RequestError} name, address, timeout.
 */
export async function allowedAddresses(
  url: URL,
  { mayBeInside, resolve = resolveBySystem }: Guard,
  signal: AbortSignal,
): Promise<string[]> {
  const isInsideAllowed = mayBeInside(url);
  if (url.protocol !== "https:" && !isInsideAllowed) throw new RequestError("address");
  const addresses = await orTimeout(addressesOf(url, resolve), signal);
  if (!isInsideAllowed && !addresses.every(isPublicAddress)) throw new RequestError("address");
  return addresses;
}

async function addressesOf(url: URL, resolve: (hostname: string) => Promise<string[]>): Promise<string[]> {
  const address = addressInUrl(url);
  if (address !== null) return [address];
  const addresses = await resolve(url.hostname).catch(() => []);
  if (addresses.length === 0) throw new RequestError("name");
  return addresses;
}

async function resolveBySystem(hostname: string): Promise<string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}

function orTimeout<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(new RequestError("timeout")), { once: true });
  return Promise.race([work, promise]);
}

/** The certificate must be valid for the name in the URL. */
async function responseOf(request: ClientRequest, body?: Uint8Array): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request.on("response", resolve);
  // Stays, because a request that is given up may still fail.
  request.on("error", (error: Error & { code?: string }) => reject(new RequestError(failureOf(error))));
  request.end(body);
  return await promise;
}

/** What the certificate of the receiver can be refused for. Deno reports it only in the message. */
function failureOf({ code = "", message }: Error & { code?: string }): RequestFailure {
  return /cert|tls|ssl/i.test(`${code} ${message}`) ? "certificate" : "connection";
}
