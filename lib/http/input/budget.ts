import { tooBusy } from "../../concurrency_limit.ts";

/** What a task takes of a budget, and for whom. */
export interface Expense {
  cost: number;
  holder: string;
}

/** Runs a task that takes part of a limited total while it runs. */
export type Budget = <T>(expense: Expense, task: () => Promise<T>) => Promise<T>;

/**
 * Creates a budget with this total.
 *
 * @param options.perHolder what one holder may take at most.
 * @throws {AppError} from the function it returns: UNAVAILABLE when too little is left, in all or for this holder.
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
