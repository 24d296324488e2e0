import { tooBusy } from "../concurrency_limit.ts";

/** The share of a budget that a task takes, and the holders that it counts against. */
export interface Expense {
  cost: number;
  holders: string[];
}

/** Runs a task that takes part of a limited total while it runs. */
export type Budget = <T>(expense: Expense, task: () => Promise<T>) => Promise<T>;

/**
 * Creates a budget with this total. It throws UNAVAILABLE when too little is left, in total or for a holder.
 *
 * @param options.perHolder the most that one holder may take.
 */
export function createBudget(total: number, { perHolder = total } = {}): Budget {
  const taken = new Map<string, number>();
  let left = total;
  const sumOf = (holder: string) => taken.get(holder) ?? 0;
  function take(cost: number, holders: string[]): void {
    left -= cost;
    for (const holder of holders) {
      const sum = sumOf(holder) + cost;
      if (sum === 0) taken.delete(holder);
      else taken.set(holder, sum);
    }
  }
  return async ({ cost, holders }, task) => {
    if (cost > left || holders.some((holder) => sumOf(holder) + cost > perHolder)) throw tooBusy();
    take(cost, holders);
    try {
      return await task();
    } finally {
      take(-cost, holders);
    }
  };
}
