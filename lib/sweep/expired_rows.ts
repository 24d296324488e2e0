import { sql } from "kysely";
import type { Db } from "../../db/schema.ts";
import { DAY_SECONDS, HOUR_SECONDS, secondsAfter } from "../duration.ts";
import type { Services } from "../services.ts";

/** Any number that no other advisory lock of this database uses. */
const SWEEP_LOCK = 4_021_860_977;
/** How long a mail's row stays after it was queued, for whoever asks what became of it. */
const MAIL_KEPT_SECONDS = 30 * DAY_SECONDS;
/** Spent and expired tokens stay a little, so that clocks that differ do no harm. */
const TOKEN_KEPT_SECONDS = HOUR_SECONDS;

/**
 * Deletes what has expired: sessions, tokens, login windows, submissions, old mails. Of several instances the one that gets the
 * lock does it, the others do nothing.
 *
 * @returns 0: what is left can wait for the next time.
 */
export async function sweepExpiredRows({ db, now }: Services): Promise<number> {
  await db.transaction().execute(async (trx) => {
    const { rows: [lock] } = await sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${SWEEP_LOCK}) as taken`
      .execute(trx);
    if (!lock.taken) return;
    await deleteOlder(trx, { table: "sessions", column: "expires_at", than: now() });
    const tokensEnd = secondsAfter(now(), -TOKEN_KEPT_SECONDS);
    await deleteOlder(trx, { table: "email_verification_tokens", column: "expires_at", than: tokensEnd });
    await deleteOlder(trx, { table: "password_reset_tokens", column: "expires_at", than: tokensEnd });
    await deleteOlder(trx, { table: "login_attempts", column: "window_ends_at", than: now() });
    await deleteOlder(trx, { table: "submissions", column: "expires_at", than: now() });
    // A mail of that age is over: it was given up after a day.
    await deleteOlder(trx, { table: "outbox", column: "created_at", than: secondsAfter(now(), -MAIL_KEPT_SECONDS) });
  });
  return 0;
}

/** Leaves rows that somebody else is just changing for the next time: waiting for them could be a deadlock. */
async function deleteOlder(db: Db, { table, column, than }: { table: string; column: string; than: Date }) {
  await sql`
    delete from ${sql.table(table)} where ctid in (
      select ctid from ${sql.table(table)} where ${sql.ref(column)} <= ${than} for update skip locked
    )
  `.execute(db);
}
