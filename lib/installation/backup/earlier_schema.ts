import { sql, type Transaction } from "kysely";
import { MIGRATION_NAMES, runMigrations } from "../../../db/migrate.ts";
import type { Database } from "../../../db/schema.ts";
import { listColumns } from "./export.ts";
import { withBareTables } from "./bare_tables.ts";
import { deleteLeftovers, unlessKnown } from "./restored_rows.ts";
import { EXPORTED } from "./restored_tables.ts";

const [LAST] = MIGRATION_NAMES.slice(-1);
/** A schema that exists only in the transaction of a restore. */
const SCHEMA = "foyer_restore";

/**
 * Lets work insert the rows of a backup into tables of its own release, and then migrates them. For an earlier release,
 * these are built beside the real ones, migrated with the rows in them, and copied.
 *
 * @param schema the last migration of that release.
 * @param tables the tables of the backup.
 */
export async function inSchema(
  trx: Transaction<Database>,
  { schema, tables }: { schema: string; tables: string[] },
  insert: () => Promise<void>,
): Promise<void> {
  if (schema === LAST) return await withBareTables(trx, tables, insert);
  const { rows: [{ path, target }] } = await sql<{ path: string; target: string }>`
    select current_setting('search_path') as path, current_schema() as target
  `.execute(trx);
  await sql`create schema ${sql.id(SCHEMA)}`.execute(trx);
  await setSearchPath(trx, SCHEMA);
  await runMigrations(trx, { after: null, last: schema });
  await deleteLeftovers(trx, tables);
  await withBareTables(trx, tables, insert);
  await runMigrations(trx, { after: schema, last: LAST });
  await setSearchPath(trx, path);
  await withBareTables(trx, EXPORTED, () => copyRows(trx, target));
  await sql`drop schema ${sql.id(SCHEMA)} cascade`.execute(trx);
}

/** Through JSON, because the two schemas have types of their own. */
async function copyRows(trx: Transaction<Database>, target: string): Promise<void> {
  for (const table of EXPORTED) {
    const columns = await listColumns(trx, table);
    const names = sql.join(columns.map((column) => sql.ref(column)));
    await sql`
      insert into ${sql.id(target, table)} (${names}) overriding system value
      select ${sql.join(columns.map((column) => sql.ref(`copy.${column}`)))} from ${sql.id(SCHEMA, table)} as original
      cross join lateral json_populate_record(null::${sql.id(target, table)}, row_to_json(original)) as copy
      ${unlessKnown(table)}
    `.execute(trx);
  }
}

async function setSearchPath(trx: Transaction<Database>, path: string): Promise<void> {
  await sql`select set_config('search_path', ${path}, true)`.execute(trx);
}
