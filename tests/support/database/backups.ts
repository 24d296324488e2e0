import { sql } from "kysely";
import { MIGRATION_NAMES } from "../../../db/migrate.ts";
import { openDatabase } from "../../../db/connection.ts";
import type { DatabaseHandle } from "../../../db/database_handle.ts";
import type { Db } from "../../../db/schema.ts";
import { createArchive } from "../../../lib/installation/backup/archive_writer.ts";
import { readArchive } from "../../../lib/installation/backup/archive_reader.ts";
import { EXPORTED } from "../../../lib/installation/backup/restored_tables.ts";
import type { AppSecrets } from "../../../lib/crypto/derived_key.ts";
import { BACKUP_FORMAT, type BackupManifest } from "../../../lib/installation/backup/manifest.ts";
import { readDatabaseTemplate } from "./database_template.ts";

/** Opens an embedded database in memory, whichever engine the tests use. */
export async function openEmbeddedDatabase(): Promise<DatabaseHandle> {
  const handle = await openDatabase({ directory: "memory://", contents: await readDatabaseTemplate(), log: () => {} });
  await handle.migrate();
  return handle;
}

/**
 * Returns all rows that a backup contains, as text, by table: except numbers of transactions, which belong to a
 * database.
 */
export async function dumpRows(db: Db, tables = EXPORTED): Promise<Record<string, string[]>> {
  const dump: Record<string, string[]> = {};
  for (const table of tables) {
    const { rows } = await sql<{ row: string }>`
      select (to_jsonb(t) - 'transaction_id')::text as row from ${sql.table(table)} t`.execute(db);
    dump[table] = rows.map(({ row }) => row).sort();
  }
  return dump;
}

/** Returns the keys, checks, indexes and triggers of all tables, as text that does not depend on the engine. */
export async function describeTables(db: Db): Promise<string[]> {
  const { rows } = await sql<{ text: string }>`
    select format('%s %s %s %s', conrelid::regclass, conname, convalidated, pg_get_constraintdef(oid)) as text
    from pg_constraint where connamespace = current_schema()::regnamespace and contype <> 'n'
    union all select indexdef from pg_indexes where schemaname = current_schema()
    union all select format('%s %s', tgenabled, pg_get_triggerdef(oid)) from pg_trigger where not tgisinternal
    order by 1
  `.execute(db);
  return rows.map(({ text }) => text);
}

/** Writes a backup again, with other rows and another manifest. */
export async function rewriteBackup(
  from: string,
  to: string,
  { secrets, manifest: change, without = [], also, rowOf = (_table, row) => row }: {
    /** What signs it. */
    secrets: AppSecrets;
    manifest?: Partial<BackupManifest>;
    /** Tables to leave out. */
    without?: string[];
    /** A table to add, without rows. */
    also?: string;
    rowOf?(table: string, row: Record<string, unknown>): Record<string, unknown>;
  },
): Promise<void> {
  const lines = new Map<string, string[]>();
  const manifest = await readArchive(from, {
    signer: "anyone",
    read: (table, some) => Promise.resolve(void lines.set(table, [...lines.get(table) ?? [], ...some])),
  });
  await using archive = await createArchive(to, secrets);
  const tables = [];
  for (const each of manifest.tables.filter(({ table }) => !without.includes(table))) {
    const rows = (lines.get(each.table) ?? []).map((line) => rowOf(each.table, JSON.parse(line)));
    const columns = rows.length === 0
      ? each.columns.filter((column) => column in rowOf(each.table, { [column]: null }))
      : Object.keys(rows[0]);
    const facts = await archive.addTable(each.table, inOneGo(rows.map((row) => JSON.stringify(row))));
    tables.push({ table: each.table, columns, ...facts });
  }
  if (also !== undefined) tables.push({ table: also, columns: [], ...await archive.addTable(also, none()) });
  await archive.finish({ ...manifest, tables, ...change });
}

async function* inOneGo(lines: string[]): AsyncGenerator<string[]> {
  yield lines;
}

/** Writes a backup of accounts, and of nothing else. It is imported with --unsigned: no service has signed it. */
export async function writeAccounts(file: string, { count, bio = "" }: { count: number; bio?: string }): Promise<void> {
  await using archive = await createArchive(file, { appSecret: crypto.randomUUID() });
  const tables: BackupManifest["tables"] = [];
  for (const table of EXPORTED) {
    const columns = table === "users" ? Object.keys(account(0, bio)) : [];
    tables.push({
      table,
      columns,
      ...await archive.addTable(table, table === "users" ? accounts(count, bio) : none()),
    });
  }
  const [schema] = MIGRATION_NAMES.slice(-1);
  await archive.finish({
    format: BACKUP_FORMAT,
    version: "0.1.0",
    schema,
    createdAt: new Date().toISOString(),
    tables,
  });
}

const account = (number: number, bio: string) => ({
  id: `00000000-0000-7000-8000-${String(number).padStart(12, "0")}`,
  email: `user${number}@example.com`,
  name: "Ann",
  bio,
  created_at: "2026-01-01T00:00:00Z",
  updated_at: "2026-01-01T00:00:00Z",
});

async function* accounts(count: number, bio: string): AsyncGenerator<string[]> {
  for (let number = 0; number < count; number++) yield [JSON.stringify(account(number, bio))];
}

async function* none(): AsyncGenerator<string[]> {}
