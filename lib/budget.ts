import { tooBusy } from "./concurrency_limit.ts";

/** Runs a task that takes this much of a limited total while it runs. */
export type Budget = <T>(cost: number, task: () => Promise<T>) => Promise<T>;

/**
 * Creates a budget with this total.
 *
 * @throws {AppError} from the function it returns: UNAVAILABLE when too little is left.
 */
export function createBudget(total: number): Budget {
  let left = total;
  return async (cost, task) => {
    if (cost > left) throw tooBusy();
    left -= cost;
    try {
      return await task();
    } finally {
      left += cost;
    }
  };
}
