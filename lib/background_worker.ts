import { SECOND_MS } from "./duration.ts";
import { errorFields, type Log } from "./log.ts";

/** A task that goes on failing is told of no more often than this. */
const TOLD_AGAIN_MS = 60 * SECOND_MS;

/** Lets somebody wait to be woken. */
export interface WakeSignal {
  wake(): void;
  /** Resolves at the next wake, at once if one came since the last wait, or after the time is over. */
  wait(milliseconds: number): Promise<void>;
}

/** A signal with nobody waiting yet. */
export function createWakeSignal(): WakeSignal {
  let isAwake = false;
  let rouse = () => {};
  return {
    wake() {
      isAwake = true;
      rouse();
    },
    async wait(milliseconds) {
      if (!isAwake) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, milliseconds);
        rouse = resolve;
        await promise;
        clearTimeout(timer);
      }
      isAwake = false;
    },
  };
}

export interface WorkerOptions {
  /** What the log calls it. */
  name: string;
  pauseSeconds: number;
  log: Log;
  /** Ends a pause early. */
  signal?: WakeSignal;
}

/**
 * Runs a task again and again until it is stopped, with a pause where it found nothing to do or failed.
 *
 * @param task tells how much it did.
 * @returns `stop`, which resolves when what is under way is done.
 */
export function startWorker(
  task: () => Promise<number>,
  { name, pauseSeconds, log, signal = createWakeSignal() }: WorkerOptions,
): { stop(): Promise<void> } {
  let isStopping = false;
  let tellFrom = -Infinity;
  async function run() {
    while (!isStopping) {
      let done = 0;
      try {
        done = await task();
        tellFrom = -Infinity;
      } catch (error) {
        if (performance.now() >= tellFrom) {
          log("error", `${name} failed, will be tried again`, errorFields(error));
          tellFrom = performance.now() + TOLD_AGAIN_MS;
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
