import { type RawBuilder, sql } from "kysely";
import { type Db, TABLE_RULES } from "../../db/schema.ts";
import { emptyAddresses } from "../activity/old_addresses.ts";
import type { Config } from "../config/config.ts";
import { deleteGrantsOfGone } from "../grants/grant_end.ts";
import type { Services } from "../services/services.ts";

/** Rows that one statement deletes. Deleting them takes far less time than the statement timeout. */
export const BATCH_ROWS = 1_000;

/**
 * Deletes expired sessions, tokens, rate limit windows, submissions and the like, old emails and old events, and
 * empties the client addresses of events. Safe to run concurrently, because locked rows are skipped.
 *
 * @returns the number of rows in full batches, which may leave more rows to delete; 0 when all batches were partial.
 */
export async function sweepExpiredRows(
  { db, config, databaseTime }: Pick<Services, "db" | "databaseTime"> & {
    config: Pick<Config, "eventsKeptSeconds" | "addressesKeptSeconds">;
  },
): Promise<number> {
  let deleted = 0;
  for (const [table, rules] of Object.entries(TABLE_RULES)) {
    for (const { column, keptSeconds = 0, whileNull } of rules.ends ?? []) {
      const kept = typeof keptSeconds === "number" ? keptSeconds : config[keptSeconds];
      const count = await deleteBatch(db, { table, column, end: databaseTime(-kept), whileNull });
      if (count === BATCH_ROWS) deleted += count;
    }
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
  whileNull?: string;
}

/** Statements that delete what ends with the rows of a table, which they find as `gone`. */
const ENDING_WITH: { [table: string]: (() => RawBuilder<unknown>) | undefined } = { sessions: deleteGrantsOfGone };

/**
 * Skips locked rows, because waiting for them could cause a deadlock. The next sweep deletes them. Starts with the
 * oldest rows: without an order, PostgreSQL may read the whole table to find expired rows, instead of the index.
 */
async function deleteBatch(
  db: Db,
  { table, column, end, whileNull }: ExpiredRows,
): Promise<number> {
  const only = whileNull === undefined ? sql`true` : sql`${sql.ref(whileNull)} is null`;
  const and = ENDING_WITH[table];
  const deletion = sql`
    delete from ${sql.table(table)} where ctid = any(array(
      select ctid from ${sql.table(table)} where ${sql.ref(column)} <= ${end} and ${only}
      order by ${sql.ref(column)} limit ${BATCH_ROWS} for update skip locked
    ))
  `;
  if (and === undefined) return Number((await deletion.execute(db)).numAffectedRows);
  const { rows: [{ count }] } = await sql<{ count: number }>`
    with gone as (${deletion} returning *), ended as (${and()}) select count(*)::int as count from gone
  `.execute(db);
  return count;
}
