import { AppError } from "./errors.ts";

const RETRY_AFTER_SECONDS = 5;

/** Runs at most `limit` tasks at a time; the others wait in the order of their coming. */
export type ConcurrencyLimit = <T>(task: () => Promise<T>) => Promise<T>;

/**
 * A limit of its own, with its own queue of at most `maxWaiting` tasks.
 *
 * @throws {AppError} from the function it returns: UNAVAILABLE when the queue is full.
 */
export function concurrencyLimit(limit: number, { maxWaiting = Infinity } = {}): ConcurrencyLimit {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running >= limit && waiting.length >= maxWaiting) throw tooBusy();
    if (running < limit) running++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}

/** The error for work beyond a limit. */
export function tooBusy(): AppError {
  return new AppError("UNAVAILABLE", "The server is busy. Try again shortly", {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
