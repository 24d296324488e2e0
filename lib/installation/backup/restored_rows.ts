import { type RawBuilder, sql, type Transaction } from "kysely";
import type { Database, Db } from "../../../db/schema.ts";
import type { BackupTable } from "./manifest.ts";
import { EXPORTED } from "./restored_tables.ts";

/** The only table of which a database without accounts may already have rows that count. */
const REMEMBERED = "deleted_accounts";

/**
 * Makes sure that the database has no accounts, and keeps it so until the end of the transaction.
 *
 * @throws {Error} if it holds an account.
 */
export async function requireNobody(trx: Transaction<Database>): Promise<void> {
  await sql`lock table users in exclusive mode`.execute(trx);
  const someone = await trx.selectFrom("users").select("id").limit(1).executeTakeFirst();
  if (someone === undefined) return;
  throw new Error("The database holds accounts. Nothing was changed. Import into an empty database");
}

/** Deletes what a service without accounts may have left, such as keys and counted requests. */
export async function deleteLeftovers(trx: Transaction<Database>, tables: string[] = EXPORTED): Promise<void> {
  for (const table of tables.toReversed()) {
    if (table !== REMEMBERED) await sql`delete from ${sql.table(table)}`.execute(trx);
  }
}

/**
 * Values that are not restored as they are. The audit log has its own record of the numbers of transactions, which
 * differ from those of another database: what it has already is left out, and the rest follows.
 */
const REPLACED: Record<string, RawBuilder<unknown>> = {
  "events.transaction_id": sql`
    case when restored.transaction_id is not null and not exists (
      select from audit_position as written
      where (written.transaction_id, written.event_id) >= (restored.transaction_id, restored.id)
    ) then pg_current_xact_id() end
  `,
};

/**
 * Inserts rows, which are lines of JSON, as they are.
 *
 * @throws {Error} if the table does not have these columns, or a row does not fit.
 */
export async function insertRows(
  db: Db,
  { table, columns }: Pick<BackupTable, "table" | "columns">,
  lines: string[],
): Promise<void> {
  const names = sql.join(columns.map((column) => sql.ref(column)));
  await sql`
    insert into ${sql.table(table)} (${names}) overriding system value
    select ${sql.join(columns.map((column) => REPLACED[`${table}.${column}`] ?? sql.ref(`restored.${column}`)))}
    from json_populate_recordset(null::${sql.table(table)}, ${`[${lines.join(",")}]`}::json) as restored ${
    unlessKnown(table)
  }
  `.execute(db);
}

/** Two lists of deletions may have some in common. In any other table, a row that is there already is an error. */
export function unlessKnown(table: string): RawBuilder<unknown> {
  return table === REMEMBERED ? sql`on conflict do nothing` : sql``;
}

/** Makes the next generated number of each table follow its highest one. */
export async function restartCounters(db: Db): Promise<void> {
  const { rows: counters } = await sql<{ table: string; column: string }>`
    select table_name as "table", column_name as "column" from information_schema.columns
    where table_schema = current_schema() and is_identity = 'YES'
  `.execute(db);
  for (const { table, column } of counters) {
    const { rows: [{ next }] } = await sql<{ next: string }>`
      select (coalesce(max(${sql.ref(column)}), 0) + 1)::text as next from ${sql.table(table)}
    `.execute(db);
    await sql`alter table ${sql.table(table)} alter column ${sql.ref(column)} restart with ${sql.raw(next)}`
      .execute(db);
  }
}
