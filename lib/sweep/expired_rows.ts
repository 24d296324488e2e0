import { sql } from "kysely";
import { DAY_SECONDS, HOUR_SECONDS, secondsAfter } from "../duration.ts";
import type { Services } from "../services.ts";

/** Any number that no other advisory lock of this database uses. */
const SWEEP_LOCK = 4_021_860_977;
/** How long a mail's row stays after it was queued, for whoever asks what became of it. */
const MAIL_KEPT_SECONDS = 30 * DAY_SECONDS;
/** Spent and expired tokens stay a little, so that clocks that differ do no harm. */
const TOKEN_KEPT_SECONDS = HOUR_SECONDS;

/**
 * Deletes what has expired: sessions, tokens, login windows, old mails. Of several instances the one that gets the
 * lock does it, the others do nothing.
 *
 * @returns 0: what is left can wait for the next time.
 */
export async function sweepExpiredRows({ db, now }: Services): Promise<number> {
  await db.transaction().execute(async (trx) => {
    const { rows: [lock] } = await sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${SWEEP_LOCK}) as taken`
      .execute(trx);
    if (!lock.taken) return;
    await trx.deleteFrom("sessions").where("expires_at", "<=", now()).execute();
    for (const table of ["email_verification_tokens", "password_reset_tokens"] as const) {
      await trx.deleteFrom(table).where("expires_at", "<=", secondsAfter(now(), -TOKEN_KEPT_SECONDS)).execute();
    }
    await trx.deleteFrom("login_attempts").where("window_ends_at", "<=", now()).execute();
    await trx.deleteFrom("outbox").where("status", "!=", "pending")
      .where("created_at", "<=", secondsAfter(now(), -MAIL_KEPT_SECONDS)).execute();
  });
  return 0;
}
