import { SECOND_MS } from "../../duration.ts";

/** What takes longer counts as out of order: load balancers do not wait for long either. */
const DEADLINE_MS = 2 * SECOND_MS;

/** Returns the result of a check. Throws if it takes longer than two seconds. */
export async function inTime<Value>(name: string, check: Promise<Value>): Promise<Value> {
  const deadline = Promise.withResolvers<never>();
  const timer = setTimeout(() => deadline.reject(new Error(`${name} did not respond in time`)), DEADLINE_MS);
  try {
    return await Promise.race([check, deadline.promise]);
  } finally {
    clearTimeout(timer);
  }
}
