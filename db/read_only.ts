/** Why a server of PostgreSQL may take no writes, although it can be reached. */
import { type RawBuilder, sql } from "kysely";
import type { Db } from "./schema.ts";

/** An expression in SQL: a key of {@linkcode READ_ONLY_REASONS}, or null if the server takes writes. */
export const READ_ONLY_SQL =
  "case when pg_is_in_recovery() then 'standby' when current_setting('transaction_read_only')::bool then 'setting' end";

/** The reasons, as text for operators. */
export const READ_ONLY_REASONS = {
  standby: "it is a standby, which takes no writes. Use the address of the primary, or promote it",
  setting: "default_transaction_read_only is on for the role, the database or the server. Turn it off",
};

/** A key of {@linkcode READ_ONLY_REASONS}. */
export type ReadOnlyReason = keyof typeof READ_ONLY_REASONS;

/** Returns why the database takes no writes, as text for operators, or null if it takes them. */
export async function findReadOnlyReason(db: Db): Promise<string | null> {
  const reason: RawBuilder<{ reason: ReadOnlyReason | null }> = sql`select ${sql.raw(READ_ONLY_SQL)} as reason`;
  const { rows: [found] } = await reason.execute(db);
  return found.reason && READ_ONLY_REASONS[found.reason];
}
