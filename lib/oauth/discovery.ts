import * as oauth from "oauth4webapi";
import { HOUR_SECONDS, secondsAfter } from "../duration.ts";

/** A provider's metadata, kept for a while. */
export interface Discovery {
  /** The metadata; what is fetched now is shared by all who ask. */
  get(): Promise<oauth.AuthorizationServer>;
  /** Makes the next one ask the provider again, for its keys too. */
  forget(): void;
}

const MAX_AGE_SECONDS = HOUR_SECONDS;

/** Discovers on demand: a provider that is down at our start stops nothing, and a failure is not kept. */
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
