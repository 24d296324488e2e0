import { tooBusy } from "../../concurrency_limit.ts";

/** The share of a budget that a task takes, and for whom. */
export interface Expense {
  cost: number;
  holder: string;
}

/** Runs a task that takes part of a limited total while it runs. */
export type Budget = <T>(expense: Expense, task: () => Promise<T>) => Promise<T>;

/**
 * Creates a budget with this total. It throws UNAVAILABLE when too little is left, in total or for the holder.
 *
 * @param options.perHolder the most that one holder may take.
 */
export function createBudget(total: number, { perHolder = total } = {}): Budget {
  const taken = new Map<string, number>();
  let left = total;
  function take(cost: number, holder: string): void {
    const sum = (taken.get(holder) ?? 0) + cost;
    left -= cost;
    if (sum === 0) taken.delete(holder);
    else taken.set(holder, sum);
  }
  return async ({ cost, holder }, task) => {
    if (cost > left || (taken.get(holder) ?? 0) + cost > perHolder) throw tooBusy();
    take(cost, holder);
    try {
      return await task();
    } finally {
      take(-cost, holder);
    }
  };
}
