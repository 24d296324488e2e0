import { tooBusy } from "../concurrency_limit.ts";

/** The share of a budget that a task takes, and the holders that it counts against. */
export interface Expense {
  cost: number;
  holders: string[];
}

/** Runs a task that takes part of a limited total while it runs. */
export type Budget = <T>(expense: Expense, task: () => Promise<T>) => Promise<T>;

export interface BudgetOptions {
  /** The most that one holder may take. By default, everything. */
  perHolder?: number;
  /** How many tasks of one holder may wait until enough is left. By default, none. */
  maxWaiting?: number;
  /** How long they wait. */
  maxWaitMs?: number;
}

interface WaitingTask {
  expense: Expense;
  start(): void;
}

/** Creates a budget with this total. It throws UNAVAILABLE when too little is left, in total or for a holder. */
export function createBudget(
  total: number,
  { perHolder = total, maxWaiting = 0, maxWaitMs = 0 }: BudgetOptions = {},
): Budget {
  const taken = new Map<string, number>();
  const queue = new Set<WaitingTask>();
  let left = total;
  const sumOf = (holder: string) => taken.get(holder) ?? 0;
  const isLeft = ({ cost, holders }: Expense) =>
    cost <= left && holders.every((holder) => sumOf(holder) + cost <= perHolder);

  function take({ cost, holders }: Expense): void {
    left -= cost;
    for (const holder of holders) {
      const sum = sumOf(holder) + cost;
      if (sum === 0) taken.delete(holder);
      else taken.set(holder, sum);
    }
  }

  function giveBack({ cost, holders }: Expense): void {
    take({ cost: -cost, holders });
    for (const task of queue) {
      if (!isLeft(task.expense)) continue;
      queue.delete(task);
      take(task.expense);
      task.start();
    }
  }

  async function waitAndTake(expense: Expense): Promise<void> {
    if (expense.holders.some((holder) => waitingOf(queue, holder) >= maxWaiting)) throw tooBusy();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const task = { expense, start: resolve };
    queue.add(task);
    const timer = setTimeout(() => {
      queue.delete(task);
      reject(tooBusy());
    }, maxWaitMs);
    await promise.finally(() => clearTimeout(timer));
  }

  return async (expense, task) => {
    if (isLeft(expense)) take(expense);
    else await waitAndTake(expense);
    try {
      return await task();
    } finally {
      giveBack(expense);
    }
  };
}

function waitingOf(queue: Set<WaitingTask>, holder: string): number {
  return Array.from(queue).filter(({ expense: { holders } }) => holders.includes(holder)).length;
}
