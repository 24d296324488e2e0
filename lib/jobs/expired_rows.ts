import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../db/schema.ts";
import { emptyAddresses } from "../activity/old_addresses.ts";
import type { Config } from "../config/config.ts";
import { DAY_SECONDS, HOUR_SECONDS } from "../duration.ts";
import { deleteGrantsOfGone } from "../grants/grant_end.ts";
import type { Services } from "../services.ts";

/** Rows that one statement deletes. Deleting them takes far less time than the statement timeout. */
export const BATCH_ROWS = 1_000;
/** How long the row of an email is kept after it was queued, so that operators can trace its delivery. */
const MAIL_KEPT_SECONDS = 30 * DAY_SECONDS;
/** How long the delivery of an event is kept after it was queued, so that operators can repeat it. */
const DELIVERY_KEPT_SECONDS = 30 * DAY_SECONDS;
/** How long deletions are remembered. Backups that are older must not be restored. */
const DELETIONS_KEPT_SECONDS = 90 * DAY_SECONDS;
/** How long expired tokens are kept, because the clocks of instances may differ. */
const TOKEN_KEPT_SECONDS = HOUR_SECONDS;
/** How long the secret of an authenticator app that no code has confirmed is kept after it stopped working. */
const UNCONFIRMED_KEPT_SECONDS = DAY_SECONDS;

/**
 * Deletes expired sessions, tokens, rate limit windows, submissions and the like, old emails and old events, and empties
 * the client addresses of events. Safe to run concurrently, because locked rows are skipped.
 *
 * @returns the number of rows in full batches, which may leave more rows to delete; 0 when all batches were partial.
 */
export async function sweepExpiredRows(
  { db, config, databaseTime }: Pick<Services, "db" | "databaseTime"> & {
    config: Pick<Config, "eventsKeptSeconds" | "addressesKeptSeconds">;
  },
): Promise<number> {
  const now = databaseTime();
  const tokensEnd = databaseTime(-TOKEN_KEPT_SECONDS);
  const expired: ExpiredRows[] = [
    {
      table: "totp_secrets",
      column: "pending_until",
      end: databaseTime(-UNCONFIRMED_KEPT_SECONDS),
      only: sql`enabled_at is null`,
    },
    { table: "sessions", column: "expires_at", end: now, and: deleteGrantsOfGone() },
    { table: "grants", column: "expires_at", end: tokensEnd },
    { table: "grants", column: "code_expires_at", end: now, only: sql`code_spent_at is null` },
    { table: "email_verification_tokens", column: "expires_at", end: tokensEnd },
    { table: "password_reset_tokens", column: "expires_at", end: tokensEnd },
    { table: "email_change_tokens", column: "expires_at", end: tokensEnd },
    { table: "not_me_tokens", column: "expires_at", end: tokensEnd },
    { table: "factor_reset_tokens", column: "expires_at", end: tokensEnd },
    { table: "factor_reset_stop_tokens", column: "expires_at", end: tokensEnd },
    { table: "second_step_challenges", column: "expires_at", end: now },
    { table: "api_tokens", column: "expires_at", end: tokensEnd },
    { table: "rate_limits", column: "window_ends_at", end: now },
    { table: "submissions", column: "expires_at", end: now },
    { table: "devices", column: "expires_at", end: now },
    { table: "emailed_codes", column: "expires_at", end: now },
    { table: "instances", column: "seen_at", end: tokensEnd },
    { table: "signing_keys", column: "expires_at", end: now },
    { table: "spent_challenges", column: "expires_at", end: tokensEnd },
    { table: "provider_attempts", column: "expires_at", end: now },
    { table: "deleted_accounts", column: "deleted_at", end: databaseTime(-DELETIONS_KEPT_SECONDS) },
    { table: "events", column: "created_at", end: databaseTime(-config.eventsKeptSeconds) },
    // No email this old is pending: its delivery is abandoned after a day.
    { table: "outbox", column: "created_at", end: databaseTime(-MAIL_KEPT_SECONDS) },
    { table: "webhook_deliveries", column: "queued_at", end: databaseTime(-DELIVERY_KEPT_SECONDS) },
    { table: "webhook_secrets", column: "expires_at", end: tokensEnd },
  ];
  let deleted = 0;
  for (const each of expired) {
    const count = await deleteBatch(db, each);
    if (count === BATCH_ROWS) deleted += count;
  }
  if (config.addressesKeptSeconds === 0) return deleted;
  const end = databaseTime(-config.addressesKeptSeconds);
  const emptied = await emptyAddresses(db, { end, limit: BATCH_ROWS });
  return emptied === BATCH_ROWS ? deleted + emptied : deleted;
}

interface ExpiredRows {
  table: string;
  column: string;
  end: RawBuilder<Date>;
  only?: RawBuilder<unknown>;
  /** A statement that deletes what ends with the rows, which it finds as `gone`. */
  and?: RawBuilder<unknown>;
}

/**
 * Skips locked rows, because waiting for them could cause a deadlock. The next sweep deletes them. Starts with the oldest
 * rows: without an order, PostgreSQL may read the whole table to find expired rows, instead of the index.
 */
async function deleteBatch(
  db: Db,
  { table, column, end, only = sql`true`, and }: ExpiredRows,
): Promise<number> {
  const deletion = sql`
    delete from ${sql.table(table)} where ctid = any(array(
      select ctid from ${sql.table(table)} where ${sql.ref(column)} <= ${end} and ${only}
      order by ${sql.ref(column)} limit ${BATCH_ROWS} for update skip locked
    ))
  `;
  if (and === undefined) return Number((await deletion.execute(db)).numAffectedRows);
  const { rows: [{ count }] } = await sql<{ count: number }>`
    with gone as (${deletion} returning *), ended as (${and}) select count(*)::int as count from gone
  `.execute(db);
  return count;
}
