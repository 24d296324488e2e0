import { SECOND_MS } from "../duration.ts";

/** How long an item is leased to the process that delivers it. If the process dies, another one takes over. */
export const LEASE_SECONDS = 15;
/** A long attempt keeps its lease, so that two instances do not deliver an item at the same time. */
export const RENEWAL_MS = LEASE_SECONDS / 3 * SECOND_MS;

/** Renews the lease until it is disposed of. A renewal that fails costs at most a second delivery. */
export function keepLease(renew: () => Promise<void>, renewalMs: number): AsyncDisposable {
  let renewal: Promise<void> | undefined;
  const timer = setInterval(() => renewal = renew().catch(() => {}), renewalMs);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await renewal; // it must not follow what the attempt stores
    },
  };
}
