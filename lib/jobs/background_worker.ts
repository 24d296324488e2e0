import { SECOND_MS } from "../duration.ts";
import { errorFields, type Log } from "../log/log.ts";
import type { WakeSignal } from "../services/services.ts";

/** Minimum time between log lines about a task that keeps failing. */
const LOG_INTERVAL_MS = 60 * SECOND_MS;

/** Creates a signal that can end a wait early. */
export function createWakeSignal(): WakeSignal {
  let isSignaled = false;
  let endWait = () => {};
  return {
    wake() {
      isSignaled = true;
      endWait();
    },
    async wait(milliseconds) {
      if (!isSignaled) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, milliseconds);
        endWait = resolve;
        await promise;
        clearTimeout(timer);
      }
      isSignaled = false;
    },
  };
}

export interface WorkerOptions {
  /** The name in log lines. */
  name: string;
  pauseSeconds: number;
  log: Log;
  /** Ends a pause early. */
  signal?: WakeSignal;
}

/**
 * Runs a task repeatedly until it is stopped. Pauses after a run that did nothing or failed.
 *
 * @param task returns the number of items that it processed.
 * @returns `stop`, which resolves when the current run has ended.
 */
export function startWorker(
  task: () => Promise<number>,
  { name, pauseSeconds, log, signal = createWakeSignal() }: WorkerOptions,
): { stop(): Promise<void> } {
  let isStopping = false;
  let logAgainAtMs = -Infinity;
  async function run() {
    while (!isStopping) {
      let done = 0;
      try {
        done = await task();
        logAgainAtMs = -Infinity;
      } catch (error) {
        if (performance.now() >= logAgainAtMs) {
          log("error", `${name} failed, will retry`, errorFields(error));
          logAgainAtMs = performance.now() + LOG_INTERVAL_MS;
        }
      }
      if (done === 0 && !isStopping) await signal.wait(pauseSeconds * SECOND_MS);
    }
  }
  const running = run();
  return {
    stop() {
      isStopping = true;
      signal.wake();
      return running;
    },
  };
}
