import { AppError } from "./errors.ts";

const RETRY_AFTER_SECONDS = 5;

/** The share of a limit that a task takes, and who takes it. */
export interface TaskShare {
  /** By default 1. */
  cost?: number;
  /** By default, all tasks have the same owner. */
  owner?: string;
}

/**
 * Runs a task as soon as fewer tasks than the limit are running. Owners take turns, and the waiting tasks of one owner
 * start in the order of their arrival.
 */
export type ConcurrencyLimit = <T>(task: () => Promise<T>, share?: TaskShare) => Promise<T>;

/**
 * Creates a limit with its own queue. The queue accepts tasks until their costs add up to `maxWaiting`.
 *
 * @param options.maxPerOwner the queue accepts tasks of one owner until the costs of its running and waiting tasks add up
 * to this.
 * @throws {AppError} from the returned function: UNAVAILABLE if the queue is full, or the owner's part of it.
 */
export function concurrencyLimit(
  limit: number,
  { maxWaiting = Infinity, maxPerOwner = Infinity } = {},
): ConcurrencyLimit {
  const queue = queueOfTurns();
  const costs = new Map<string, number>();
  let running = 0;
  function hold(owner: string, cost: number): void {
    const sum = (costs.get(owner) ?? 0) + cost;
    if (sum === 0) costs.delete(owner);
    else costs.set(owner, sum);
  }
  return async (task, { cost = 1, owner = "" } = {}) => {
    if ((costs.get(owner) ?? 0) >= maxPerOwner) throw tooBusy();
    if (running >= limit && queue.cost >= maxWaiting) throw tooBusy();
    hold(owner, cost);
    if (running < limit) running++;
    else await new Promise<void>((start) => queue.add(owner, { start, cost }));
    try {
      return await task();
    } finally {
      hold(owner, -cost);
      const next = queue.takeNext();
      if (next === undefined) running--;
      else next.start();
    }
  };
}

interface WaitingTask {
  start(): void;
  cost: number;
}

/** A queue from which owners take turns. */
function queueOfTurns() {
  /** The first owner is the next one to take a turn. */
  const tasks = new Map<string, WaitingTask[]>();
  return {
    /** The sum of the costs of the waiting tasks. */
    cost: 0,
    add(owner: string, task: WaitingTask): void {
      this.cost += task.cost;
      const others = tasks.get(owner);
      if (others === undefined) tasks.set(owner, [task]);
      else others.push(task);
    },
    takeNext(): WaitingTask | undefined {
      for (const [owner, [task, ...others]] of tasks) {
        tasks.delete(owner);
        if (others.length > 0) tasks.set(owner, others);
        this.cost -= task.cost;
        return task;
      }
    },
  };
}

/** Creates the error for tasks that a limit refuses. */
export function tooBusy(): AppError {
  return new AppError("UNAVAILABLE", { reason: "busy", retryAfterSeconds: RETRY_AFTER_SECONDS });
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
