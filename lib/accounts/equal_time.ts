import { sql, type Transaction } from "kysely";
import type { Database, Db } from "../../db/schema.ts";

/** Longer than what is to be hidden takes; too short for a person to mind. */
const FLOOR_MS = 100;

/**
 * Runs, in one transaction, what takes longer for some addresses than for others, and resolves or rejects only after a
 * time that is the same for all. Those that come at once for one address queue up, whether there is an account or not.
 * Source: OWASP, Forgot Password: answers must not tell, by their time either, which accounts exist.
 */
export async function inEqualTime(
  db: Db,
  email: string,
  work: (trx: Transaction<Database>) => Promise<void>,
): Promise<void> {
  const floor = new Promise((resolve) => setTimeout(resolve, FLOOR_MS));
  try {
    await db.transaction().execute(async (trx) => {
      await sql`select pg_advisory_xact_lock(hashtextextended(${email}, 0))`.execute(trx);
      await work(trx);
    });
  } finally {
    await floor;
  }
}
