import { AppError } from "./errors.ts";

const RETRY_AFTER_SECONDS = 5;

/** Runs a task once fewer than the limit are running; waiting tasks start in the order they came. */
export type ConcurrencyLimit = <T>(task: () => Promise<T>, cost?: number) => Promise<T>;

/**
 * A limit with its own queue. It takes tasks until their costs (1 each by default) add up to `maxWaiting`.
 *
 * @throws {AppError} from the function it returns: UNAVAILABLE when the queue is full.
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

/** The error for work beyond a limit. */
export function tooBusy(): AppError {
  return new AppError("UNAVAILABLE", "The server is busy. Try again shortly", {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
