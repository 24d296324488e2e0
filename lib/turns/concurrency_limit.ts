import { AppError } from "../errors/errors.ts";

const RETRY_AFTER_SECONDS = 5;

/** The share of a limit that a task takes, and who takes it. */
export interface TaskShare {
  /** By default 1. */
  cost?: number;
  /**
   * From the widest, such as a network, an address in it and a user there. By default, all tasks have the same owner.
   */
  owners?: string[];
}

/**
 * Runs a task once both the limit and the limit of its widest owner allow it. Owners take turns, and so do the owners
 * inside each of them. The waiting tasks of the same owners start in the order of their arrival.
 */
export type ConcurrencyLimit = <T>(task: () => Promise<T>, share?: TaskShare) => Promise<T>;

/**
 * Creates a limit with its own queue. The queue accepts tasks until their costs add up to `maxWaiting`. Then a task
 * evicts the newest task of the owner with the most, unless its own owner would have more than that.
 *
 * @param options.runningPerOwner how many tasks of one widest owner run at the same time.
 * @throws {AppError} from the returned function: UNAVAILABLE if the queue is full.
 */
export function concurrencyLimit(
  limit: number,
  { maxWaiting = Infinity, runningPerOwner = Infinity } = {},
): ConcurrencyLimit {
  const queue = newBranch();
  const running = new Map<string, number>();
  let runningInAll = 0;
  const runningOf = (owner: string) => running.get(owner) ?? 0;
  const mayRun = (owner: string) => runningInAll < limit && runningOf(owner) < runningPerOwner;

  function count(owner: string, tasks: number): void {
    runningInAll += tasks;
    running.set(owner, runningOf(owner) + tasks);
    if (runningOf(owner) === 0) running.delete(owner);
  }

  async function waitInQueue(owners: string[], cost: number): Promise<void> {
    if (queue.cost >= maxWaiting) {
      const dropped = dropFor(queue, owners, cost);
      if (dropped === undefined) throw tooBusy();
      dropped.refuse(tooBusy());
    }
    await new Promise<void>((resolve, refuse) => {
      // Counted at once: until the task goes on, another one could take its place.
      const start = () => resolve(count(owners[0], 1));
      add(queue, owners, { start, refuse, cost });
    });
  }

  return async (task, { cost = 1, owners = [] } = {}) => {
    const all = [...owners, ""];
    if (mayRun(all[0])) count(all[0], 1);
    else await waitInQueue(all, cost);
    try {
      return await task();
    } finally {
      count(all[0], -1);
      takeNext(queue, mayRun)?.start();
    }
  };
}

interface WaitingTask {
  start(): void;
  refuse(error: AppError): void;
  cost: number;
}

/** The waiting tasks of one owner, or those of each owner within it. */
interface Branch {
  /** The sum of the costs of the tasks. */
  cost: number;
  tasks: WaitingTask[];
  /** The first one is the next to take a turn. */
  branches: Map<string, Branch>;
}

const newBranch = (): Branch => ({ cost: 0, tasks: [], branches: new Map() });

function add(branch: Branch, [owner, ...owners]: string[], task: WaitingTask): void {
  branch.cost += task.cost;
  if (owner === undefined) return void branch.tasks.push(task);
  const inner = branch.branches.get(owner) ?? newBranch();
  branch.branches.set(owner, inner);
  add(inner, owners, task);
}

/** Takes the first task of the first owner who may run one. */
function takeNext(branch: Branch, mayRun = (_owner: string) => true): WaitingTask | undefined {
  if (branch.branches.size === 0) return remove(branch, branch.tasks.shift());
  const first = branch.branches.entries().find(([owner]) => mayRun(owner));
  if (first === undefined) return undefined;
  const [owner, inner] = first;
  const task = takeNext(inner);
  branch.branches.delete(owner);
  if (inner.cost > 0) branch.branches.set(owner, inner);
  return remove(branch, task);
}

/** Removes the newest task of the owner with most, unless the owner of a new task would then have more than that. */
function dropFor(branch: Branch, [owner, ...owners]: string[], cost: number): WaitingTask | undefined {
  const costliest = costliestOf(branch);
  if (costliest === undefined) return undefined;
  const [most, inner] = costliest;
  if (most === owner) return remove(branch, dropFor(inner, owners, cost));
  const own = branch.branches.get(owner)?.cost ?? 0;
  return inner.cost - newestOf(inner).cost < own + cost ? undefined : dropNewest(branch);
}

function newestOf(branch: Branch): WaitingTask {
  const costliest = costliestOf(branch);
  return costliest === undefined ? branch.tasks.at(-1)! : newestOf(costliest[1]);
}

function dropNewest(branch: Branch): WaitingTask | undefined {
  const costliest = costliestOf(branch);
  if (costliest === undefined) return remove(branch, branch.tasks.pop());
  const [owner, inner] = costliest;
  const task = dropNewest(inner);
  if (inner.cost === 0) branch.branches.delete(owner);
  return remove(branch, task);
}

/** The owner whose tasks cost most. Undefined if no owner is inside the branch. */
function costliestOf({ branches }: Branch): [owner: string, Branch] | undefined {
  let costliest: [string, Branch] | undefined;
  for (const each of branches) {
    if (costliest === undefined || each[1].cost > costliest[1].cost) costliest = each;
  }
  return costliest;
}

function remove(branch: Branch, task: WaitingTask | undefined): WaitingTask | undefined {
  branch.cost -= task?.cost ?? 0;
  return task;
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
