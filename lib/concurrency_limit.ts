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
