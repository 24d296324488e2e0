import { strictEqual } from "node:assert/strict";

/** The header with the number of the step before which freeze_steps.ts freezes a request. */
export const FREEZE_AT = "Freeze-At";
/** The status of a response to a request that is frozen. */
export const FROZEN = 598;

/** More steps than any request has. */
const MAX_STEPS = 200;

/** A request that may be frozen. */
export interface FreezableRequest {
  url: string;
  init: RequestInit;
  /** The status of the response if the request reaches its end. */
  status: number;
  /** Called if it does. */
  onDone(): void;
}

/** How many requests are prepared and sent at once. */
const CONCURRENT_REQUESTS = 4;

/**
 * Sends requests that are frozen, each before another step, until one reaches its end. `prepare` makes the next
 * request, which must not share rows or objects with the others.
 */
export async function freezeAtEachStep(prepare: () => Promise<FreezableRequest>): Promise<void> {
  for (let step = 0; step < MAX_STEPS; step += CONCURRENT_REQUESTS) {
    const steps = Array.from({ length: CONCURRENT_REQUESTS }, (_, index) => step + index);
    const statuses = await Promise.all(steps.map(async (step) => await sendFrozen(step, await prepare())));
    if (statuses.some((status) => status !== FROZEN)) return;
  }
  throw new Error(`The request has more than ${MAX_STEPS} steps`);
}

async function sendFrozen(step: number, { url, init, status, onDone }: FreezableRequest): Promise<number> {
  const response = await fetch(url, { ...init, headers: { ...init.headers, [FREEZE_AT]: String(step) } });
  const text = await response.text();
  if (response.status === FROZEN) return FROZEN;
  strictEqual(response.status, status, text);
  onDone();
  return status;
}
