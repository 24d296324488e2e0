import * as oauth from "oauth4webapi";
import { HOUR_SECONDS, secondsAfter } from "../duration.ts";

/** A provider's metadata, cached for an hour. */
export interface Discovery {
  /** Returns the metadata. Concurrent callers share one request. */
  get(): Promise<oauth.AuthorizationServer>;
  /** Makes the next call ask the provider again, for its keys too. */
  forget(): void;
}

const MAX_AGE_SECONDS = HOUR_SECONDS;

/** Discovers on demand, so that a provider that is down does not stop the start. Failures are not cached. */
export function discovery(
  issuer: URL,
  { request, now }: { request: () => oauth.DiscoveryRequestOptions; now: () => Date },
): Discovery {
  let current: { server: Promise<oauth.AuthorizationServer>; staleAt: Date } | null = null;
  const forget = () => current = null;
  return {
    get() {
      if (current !== null && now() < current.staleAt) return current.server;
      const server = discover(issuer, request());
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
