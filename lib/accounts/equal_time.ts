import { sql, type Transaction } from "kysely";
import type { Database, Db } from "../../db/schema.ts";

/** Longer than the work usually takes, yet too short for people to notice. */
const STEP_MS = 100;

/**
 * Runs work in a transaction and settles only at a multiple of 100 ms after the call, so that the response time does not
 * reveal which accounts exist. Concurrent calls for one address run one after another, whether or not it has an account.
 *
 * The work must not wake the mail worker, which would delay only responses for addresses that have an account.
 * Source: OWASP, Forgot Password Cheat Sheet.
 */
export async function inEqualTime<T>(
  db: Db,
  email: string,
  work: (trx: Transaction<Database>) => Promise<T>,
): Promise<T> {
  let step = Promise.withResolvers<void>();
  // Start before the work: a timer for the remaining time would round it to milliseconds, and so reveal a little of it.
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
