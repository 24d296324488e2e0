import { sql, type Transaction } from "kysely";
import type { Database, Db } from "../../../db/schema.ts";

/** A part of a table that is taken away and made again: its statements. */
interface Part {
  drop: string;
  create: string;
}

/**
 * Runs work while tables have no triggers, no foreign keys, and only the indexes of unique keys. Triggers would change
 * rows, or write others that are in the backup too. Checking each row against other tables and adding it to each index
 * takes as long as everything else. Doing both once, at the end, takes a tenth of that.
 *
 * @param tables those of the first schema of the search path. The caller owns them.
 * @throws {Error} if a row refers to one that does not exist. The transaction must be rolled back then.
 */
export async function withBareTables(
  trx: Transaction<Database>,
  tables: string[],
  work: () => Promise<void>,
): Promise<void> {
  const parts = [...await listForeignKeys(trx, tables), ...await listIndexes(trx, tables)];
  await setTriggers(trx, tables, "disable");
  for (const { drop } of parts) await sql.raw(drop).execute(trx);
  await work();
  // Foreign keys come last: the check uses the indexes.
  for (const { create } of parts.toReversed()) await sql.raw(create).execute(trx);
  await setTriggers(trx, tables, "enable");
}

/** Turns the triggers of tables off or on. */
export async function setTriggers(db: Db, tables: string[], state: "disable" | "enable"): Promise<void> {
  for (const table of tables) await sql`alter table ${sql.table(table)} ${sql.raw(state)} trigger user`.execute(db);
}

async function listForeignKeys(db: Db, tables: string[]): Promise<Part[]> {
  const { rows } = await sql<Part>`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as create
    from pg_constraint where contype = 'f' and conrelid in (${oids(tables)}) order by oid
  `.execute(db);
  return rows;
}

async function listIndexes(db: Db, tables: string[]): Promise<Part[]> {
  const { rows } = await sql<Part>`
    select format('drop index %s', indexrelid::regclass) as drop, pg_get_indexdef(indexrelid) as create
    from pg_index where not indisunique and indrelid in (${oids(tables)})
      and not exists (select from pg_constraint where conindid = indexrelid)
    order by indexrelid
  `.execute(db);
  return rows;
}

function oids(tables: string[]) {
  return sql`
    select oid from pg_class where relnamespace = current_schema()::regnamespace and relname = any(${tables}::text[])
  `;
}
