import * as oauth from "oauth4webapi";
import { HOUR_SECONDS, secondsAfter } from "../duration.ts";
import type { ProviderTrace } from "./provider_trace.ts";

/** A provider's metadata, cached for an hour. */
export interface Discovery {
  /** Returns the metadata. Concurrent callers share one request. */
  get(): Promise<oauth.AuthorizationServer>;
  /** Makes the next call fetch the metadata and the keys again. */
  forget(): void;
}

interface DiscoveryOptions {
  request(trace: ProviderTrace): oauth.DiscoveryRequestOptions;
  /** Returns the error to throw. */
  failed(error: unknown, trace: ProviderTrace): Error;
  now(): Date;
}

const MAX_AGE_SECONDS = HOUR_SECONDS;

/** Fetches the metadata on demand, so that Foyer can start while the provider is down. Failures are not cached. */
export function discovery(
  issuer: URL,
  { request, failed, now }: DiscoveryOptions,
): Discovery {
  let current: { server: Promise<oauth.AuthorizationServer>; staleAt: Date } | null = null;
  const forget = () => current = null;
  return {
    get() {
      if (current !== null && now() < current.staleAt) return current.server;
      const trace: ProviderTrace = { step: "discovery", last: {} };
      // Everyone who waits for this request gets its error.
      const server = discover(issuer, request(trace)).catch((error) => Promise.reject(failed(error, trace)));
      server.catch(forget);
      current = { server, staleAt: secondsAfter(now(), MAX_AGE_SECONDS) };
      return server;
    },
    forget,
  };
}

async function discover(issuer: URL, options: oauth.DiscoveryRequestOptions): Promise<oauth.AuthorizationServer> {
  return await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
}
