import { join } from "node:path";
import { sql } from "kysely";
import type { Db } from "../../../db/schema.ts";
import { PRIVATE } from "../../config/data_dir.ts";
import type { Services } from "../../services/services.ts";

/** Of the engine. It must be read in one piece. */
const CONTROL = join("global", "pg_control");
const BUSY = "Not exported: another export is running";
/** A folder in DATA_DIR. It exists only during an export beside a service with the embedded database. */
const FOLDER = ".export";

/** Keeps the log while files are copied. It exists only as long as the process. */
const SLOT = "foyer_export";
/** Source: PostgreSQL, duplicate_object. */
const EXISTS = "42710";

/**
 * Copies the files of the embedded database, which another process can then open. An export from it delays no request:
 * the engine has one connection, and a snapshot of it would make all requests wait. They do not wait for the copy
 * either: it is a base backup, of files that change meanwhile. The log of these changes repairs it when it is opened.
 *
 * @returns the folder of the copy. The caller deletes it.
 * @throws {Error} if another export is running.
 */
export async function copyDatabase(
  { longWork, config: { dataDir } }: Pick<Services, "longWork" | "config">,
): Promise<string> {
  const folder = join(dataDir, FOLDER);
  const copy = join(folder, "database");
  await longWork((db) =>
    withSlot(db, async () => {
      await removeUnused(folder);
      await Deno.mkdir(folder, PRIVATE.folder);
      await copyInUse(db, join(dataDir, "database"), copy);
    })
  );
  return copy;
}

/** Runs work while no log file is deleted. */
async function withSlot(db: Db, work: () => Promise<void>): Promise<void> {
  try {
    await sql`select pg_create_physical_replication_slot(${SLOT}, true, true)`.execute(db);
  } catch (error) {
    throw (error as { code?: string }).code === EXISTS ? new Error(BUSY) : error;
  }
  await work().finally(() => sql`select pg_drop_replication_slot(${SLOT})`.execute(db));
}

/** Source: PostgreSQL, "Making a Base Backup Using the Low Level API". */
async function copyInUse(db: Db, from: string, to: string): Promise<void> {
  const { rows: [{ first }] } = await sql<{ first: string }>`
    select pg_walfile_name(pg_backup_start('foyer export', true)) as first
  `.execute(db);
  const files = copyFolder(from, to, { without: ["pg_wal", "pg_replslot"] });
  const stopped = await files.then(
    () => stop(db, () => Deno.copyFile(join(from, CONTROL), join(to, CONTROL))),
    (error) => stop(db).then(() => Promise.reject(error)),
  );
  await Deno.writeTextFile(join(to, "backup_label"), stopped.label, PRIVATE.file);
  for (const name of await logFiles(from, { first, last: stopped.last })) {
    await Deno.copyFile(join(from, "pg_wal", name), join(to, "pg_wal", name));
  }
}

/** Ends the base backup. Nothing is written while `act` runs. */
async function stop(db: Db, act = () => Promise.resolve()): Promise<{ label: string; last: string }> {
  return await db.connection().execute(async (connection) => {
    await act();
    const { rows } = await sql<{ label: string; last: string }>`
      select labelfile as label, pg_walfile_name(lsn) as last from pg_backup_stop(false)
    `.execute(connection);
    return rows[0];
  });
}

async function logFiles(database: string, { first, last }: { first: string; last: string }): Promise<string[]> {
  const files = await Array.fromAsync(Deno.readDir(join(database, "pg_wal")));
  return files.map(({ name }) => name).filter((name) => name >= first && name <= last);
}

/** Deletes the copy of an export. */
export async function removeCopy(copy: string): Promise<void> {
  await Deno.remove(join(copy, ".."), { recursive: true });
}

/** Removes what a killed export has left. The engine locks a database next to its folder. */
async function removeUnused(folder: string): Promise<void> {
  try {
    using lock = await Deno.open(join(folder, "database.lock"), { read: true, write: true });
    if (!await lock.tryLock(true)) throw new Error(BUSY);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  await unlessNotFound(Deno.remove(folder, { recursive: true }));
}

/** Files that vanish meanwhile are not needed: the log says so. */
async function copyFolder(from: string, to: string, { without = [] }: { without?: string[] } = {}): Promise<void> {
  await Deno.mkdir(to, PRIVATE.folder);
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    const [source, target] = [join(from, name), join(to, name)];
    if (without.includes(name)) await Deno.mkdir(target, PRIVATE.folder);
    else if (isDirectory) await copyFolder(source, target);
    else await unlessNotFound(Deno.copyFile(source, target));
  }
}

async function unlessNotFound(act: Promise<void>): Promise<void> {
  await act.catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
}
