import { sql, type Transaction } from "kysely";
import type { Database, Db } from "../../db/schema.ts";

/** Longer than the work usually takes, and too short for a person to notice. */
const STEP_MS = 100;

/**
 * Runs work that takes longer for some addresses than for others in one transaction. Settles only at a multiple of
 * 100 ms after the call, so that the response time does not reveal which accounts exist. Simultaneous calls for one
 * address queue up, whether or not it has an account.
 *
 * The work must not wake the mail worker: it would run just before the response, and only where there is an account.
 * Source: OWASP, Forgot Password Cheat Sheet.
 */
export async function inEqualTime<T>(
  db: Db,
  email: string,
  work: (trx: Transaction<Database>) => Promise<T>,
): Promise<T> {
  let step = Promise.withResolvers<void>();
  // Started before the work: a timer for the rest of the time would round it to milliseconds.
  const timer = setInterval(() => {
    step.resolve();
    step = Promise.withResolvers();
  }, STEP_MS);
  try {
    return await db.transaction().execute(async (trx) => {
      await sql`select pg_advisory_xact_lock(hashtextextended(${email}, 0))`.execute(trx);
      return await work(trx);
    });
  } finally {
    await step.promise;
    clearInterval(timer);
  }
}
