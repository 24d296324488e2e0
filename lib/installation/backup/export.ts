import { sql, type Transaction } from "kysely";
import { MIGRATION_NAMES } from "../../../db/migrate.ts";
import type { Database, Db } from "../../../db/schema.ts";
import { BACKUP_FORMAT, type BackupManifest, type BackupTable, signInSettings } from "./manifest.ts";
import type { Services } from "../../services/services.ts";
import { VERSION } from "../../version.ts";
import { createArchive } from "./archive_writer.ts";
import { EXPORTED } from "./restored_tables.ts";

/** Rows that are fetched at once. */
const FETCH_ROWS = 500;
const CURSOR = sql.id("backup_rows");

/** What to export, and where. */
export interface ExportOptions {
  /** The path of the new file. */
  file: string;
  /** By default, all tables that are exported. */
  tables?: string[];
}

/**
 * Writes all tables to a file, as they are at one moment, while the service may be running. Sealed values stay sealed.
 *
 * @throws {Error} if the file exists, or the database is newer than this release.
 */
export async function exportBackup(
  { config, longWork, now }: Pick<Services, "config" | "longWork" | "now">,
  { file, tables = EXPORTED }: ExportOptions,
): Promise<BackupManifest> {
  await using archive = await createArchive(file, config);
  return await longWork((db) =>
    db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only").execute(async (trx) => {
      const manifest: BackupManifest = {
        format: BACKUP_FORMAT,
        version: VERSION,
        schema: await findSchema(trx),
        createdAt: now().toISOString(),
        settings: signInSettings(config),
        tables: [],
      };
      for (const table of tables) {
        const columns = await listColumns(trx, table);
        manifest.tables.push({ table, columns, ...await archive.addTable(table, readRows(trx, table)) });
      }
      await archive.finish(manifest);
      return manifest;
    })
  );
}

/** Returns the number of rows of a table in a backup. */
export function rowsOf({ tables }: { tables: BackupTable[] }, table: string): number {
  return tables.find((each) => each.table === table)?.rows ?? 0;
}

/** Returns the last migration of the database. */
async function findSchema(db: Db): Promise<string> {
  const { rows: [{ name }] } = await sql<{ name: string }>`select max(name) as name from kysely_migration`.execute(db);
  if (name === MIGRATION_NAMES.at(-1)) return name;
  throw new Error(`Not exported: the database has the schema ${name} of a later release. Export it with that release`);
}

/** Returns the columns of a table in the first schema of the search path. */
export async function listColumns(db: Db, table: string): Promise<string[]> {
  const { rows } = await sql<{ column_name: string }>`
    select column_name from information_schema.columns
    where table_schema = current_schema() and table_name = ${table} and is_generated = 'NEVER'
    order by ordinal_position
  `.execute(db);
  return rows.map(({ column_name: column }) => column);
}

/** Reads the rows of a table as lines of JSON, with all digits of numbers and times. */
async function* readRows(trx: Transaction<Database>, table: string): AsyncGenerator<string[]> {
  await sql`set local timezone = 'UTC'`.execute(trx);
  await sql`declare ${CURSOR} no scroll cursor for select row_to_json(t)::text as line from ${sql.table(table)} t`
    .execute(trx);
  while (true) {
    const { rows } = await sql<{ line: string }>`fetch ${sql.lit(FETCH_ROWS)} from ${CURSOR}`.execute(trx);
    yield rows.map(({ line }) => line);
    if (rows.length < FETCH_ROWS) break;
  }
  await sql`close ${CURSOR}`.execute(trx);
}
