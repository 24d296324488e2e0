import { sql } from "kysely";
import type { Db } from "../../db/schema.ts";
import { DAY_SECONDS, HOUR_SECONDS, secondsAfter } from "../duration.ts";
import type { Services } from "../services.ts";

/** Of one table in one statement: that many take far less than the database gives a statement. */
export const BATCH_ROWS = 1_000;
/** How long a mail's row stays after it was queued, for whoever asks what became of it. */
const MAIL_KEPT_SECONDS = 30 * DAY_SECONDS;
/** Spent and expired tokens stay a little, so that clocks that differ do no harm. */
const TOKEN_KEPT_SECONDS = HOUR_SECONDS;

/**
 * Deletes what has expired: sessions, tokens, rate limit windows, submissions, old mails. Any number of instances may do so
 * at once, each deletes others.
 *
 * @returns how many were deleted, where there may be more: what is left of a batch that was not full can wait.
 */
export async function sweepExpiredRows({ db, now }: Services): Promise<number> {
  const tokensEnd = secondsAfter(now(), -TOKEN_KEPT_SECONDS);
  const expired = [
    { table: "sessions", column: "expires_at", end: now() },
    { table: "email_verification_tokens", column: "expires_at", end: tokensEnd },
    { table: "password_reset_tokens", column: "expires_at", end: tokensEnd },
    { table: "rate_limits", column: "window_ends_at", end: now() },
    { table: "submissions", column: "expires_at", end: now() },
    // A mail of that age is over: it was given up after a day.
    { table: "outbox", column: "created_at", end: secondsAfter(now(), -MAIL_KEPT_SECONDS) },
  ];
  let deleted = 0;
  for (const each of expired) {
    const count = await deleteBatch(db, each);
    if (count === BATCH_ROWS) deleted += count;
  }
  return deleted;
}

/** Leaves rows that somebody else is just changing for the next time: waiting for them could be a deadlock. */
async function deleteBatch(db: Db, { table, column, end }: { table: string; column: string; end: Date }) {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where ctid = any(array(
      select ctid from ${sql.table(table)} where ${sql.ref(column)} <= ${end} limit ${BATCH_ROWS} for update skip locked
    ))
  `.execute(db);
  return Number(numAffectedRows);
}
