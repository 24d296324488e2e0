import { concurrencyLimit } from "../concurrency_limit.ts";
import { pauseAfter } from "../event_loop_turns.ts";

/**
 * How long requests may begin before the event loop does other work. A login needs some twenty turns of the event loop.
 */
const BEGINNING_MS = 2;

/**
 * Returns a function that resolves when a request of this client may begin. Requests that arrive together would all begin
 * between two turns of the event loop. With hundreds of them, each step of another request would wait for all of them. So
 * only some of them begin before the event loop does other work, and clients take turns.
 */
export function createTurns(): (client: string) => Promise<void> {
  const inTurn = concurrencyLimit(1);
  const untilFree = pauseAfter(BEGINNING_MS);
  return (client) => inTurn(untilFree, { owner: client });
}
