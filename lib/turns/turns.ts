import { concurrencyLimit } from "./concurrency_limit.ts";
import { pauseAfter } from "./event_loop_turns.ts";

/**
 * How long requests may begin before the event loop does other work. A login needs some twenty turns of the event loop.
 */
const BEGINNING_MS = 2;

/** As long as no more requests than these are running, no one waits long for the others, and turns are not worth it. */
const FEW_REQUESTS = 32;

/** Runs a request for the client with these networks, from the widest. */
export type RunInTurn = <T>(networks: () => string[], request: () => Promise<T>) => Promise<T>;

/**
 * Returns a function that runs a request as soon as it may begin. Requests that arrive together would all begin between
 * two turns of the event loop. With hundreds of them, each step of another request would wait for all of them. So only
 * some of them begin before the event loop does other work, and clients take turns. A few requests begin at once,
 * because turns would cost a tenth of a short read.
 */
export function createTurns(): RunInTurn {
  const inTurn = concurrencyLimit(1);
  const untilFree = pauseAfter(BEGINNING_MS);
  let running = 0;
  return async (networks, request) => {
    running++;
    try {
      if (running > FEW_REQUESTS) await inTurn(untilFree, { owners: networks() });
      return await request();
    } finally {
      running--;
    }
  };
}
