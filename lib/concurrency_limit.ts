/** Runs at most `limit` tasks at a time; the others wait in the order of their coming. */
export type ConcurrencyLimit = <T>(task: () => Promise<T>) => Promise<T>;

/** A limit of its own, with its own queue. */
export function concurrencyLimit(limit: number): ConcurrencyLimit {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
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
