import { AppError } from "./errors.ts";

const RETRY_AFTER_SECONDS = 5;

/** Runs a task as soon as fewer tasks than the limit are running. Waiting tasks start in the order of their arrival. */
export type ConcurrencyLimit = <T>(task: () => Promise<T>, cost?: number) => Promise<T>;

/**
 * Creates a limit with its own queue. The queue accepts tasks until their costs (by default 1 each) add up to
 * `maxWaiting`.
 *
 * @throws {AppError} from the returned function: UNAVAILABLE if the queue is full.
 */
export function concurrencyLimit(limit: number, { maxWaiting = Infinity } = {}): ConcurrencyLimit {
  const waiting: { start: () => void; cost: number }[] = [];
  let running = 0;
  let waitingCost = 0;
  return async (task, cost = 1) => {
    if (running < limit) running++;
    else if (waitingCost >= maxWaiting) throw tooBusy();
    else {
      waitingCost += cost;
      await new Promise<void>((start) => waiting.push({ start, cost }));
    }
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else {
        waitingCost -= next.cost;
        next.start();
      }
    }
  };
}

/** Creates the error for tasks that a limit refuses. */
export function tooBusy(): AppError {
  return new AppError("UNAVAILABLE", "The server is busy. Try again shortly", {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

/** Places for tasks. Those of one name are shared by all isolates of this process. */
export interface Places {
  /** Runs a task as soon as a place is free. */
  run<T>(task: () => Promise<T>): Promise<T>;
  /** Runs a task if a place is free now. Otherwise returns null and does not run it. */
  runNow<T extends object>(task: () => Promise<T>): Promise<T | null>;
}

/** Creates places, or joins those of the same name. Each is a Web Lock, so an isolate that ends leaves its places. */
export function sharedPlaces(name: string, count: number): Places {
  const locks = Array.from({ length: count }, (_, i) => `${name} ${i}`);
  return {
    async run(task) {
      const leave = await takeFirst(locks);
      return await task().finally(leave);
    },
    async runNow(task) {
      for (const lock of locks) {
        const result = await navigator.locks.request(lock, { ifAvailable: true }, (held) => held && task());
        if (result !== null) return result;
      }
      return null;
    },
  };
}

/** Waits until one of the locks is free and takes it. Returns the function that releases it. */
async function takeFirst(locks: string[]): Promise<() => void> {
  const { promise, resolve, reject } = Promise.withResolvers<() => void>();
  const search = new AbortController();
  for (const lock of locks) {
    navigator.locks.request(lock, { signal: search.signal }, async () => {
      if (search.signal.aborted) return; // two locks became free at once
      search.abort();
      await new Promise<void>(resolve);
    }).catch(reject); // no effect on the promise once a lock is taken
  }
  return await promise;
}
