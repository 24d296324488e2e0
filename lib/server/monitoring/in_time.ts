import { SECOND_MS } from "../../duration.ts";

/** What takes longer counts as out of order: load balancers do not wait for long either. */
const DEADLINE_MS = 2 * SECOND_MS;
const WATCH_MS = 200;

/**
 * Returns the result of a check. Throws if it takes longer than two seconds. Counts polls, not elapsed time: otherwise
 * a stall in this process would look like a database or a store that does not respond.
 */
export async function inTime<Value>(name: string, check: Promise<Value>): Promise<Value> {
  const deadline = Promise.withResolvers<never>();
  let polls = 0;
  const watch = setInterval(() => {
    if (++polls * WATCH_MS >= DEADLINE_MS) deadline.reject(new Error(`${name} did not respond in time`));
  }, WATCH_MS);
  try {
    return await Promise.race([check, deadline.promise]);
  } finally {
    clearInterval(watch);
  }
}
