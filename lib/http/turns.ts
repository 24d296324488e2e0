import { concurrencyLimit } from "../concurrency_limit.ts";

/** How long requests may begin before the event loop does other work. */
const BEGINNING_MS = 10;

/**
 * Returns a function that resolves when a request of this client may begin. Requests that arrive together would all begin
 * between two turns of the event loop. With hundreds of them, each step of another request would wait for all of them. So
 * only some of them begin before the event loop does other work, and clients take turns.
 */
export function createTurns(): (client: string) => Promise<void> {
  const inTurn = concurrencyLimit(1);
  let firstBeganAt: number | null = null;
  function begin(): void {
    firstBeganAt = performance.now();
    setImmediate(() => firstBeganAt = null);
  }
  async function untilFree(): Promise<void> {
    if (firstBeganAt === null) return begin();
    if (performance.now() - firstBeganAt < BEGINNING_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    begin();
  }
  return (client) => inTurn(untilFree, { owner: client });
}
