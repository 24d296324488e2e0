import { type Dialect, PGliteDialect, sql } from "kysely";
import { makePrivateFolder } from "../../lib/config/data_dir.ts";
import { failFastAfterCrash } from "./crash.ts";
import { createDatabase } from "./prepared_folder.ts";
import type { Db } from "../schema.ts";

/** Growth of the write-ahead log after which to vacuum and checkpoint, which takes a tenth of a second. */
const TIDY_AFTER_BYTES = 16 * 2 ** 20;

/** PostgreSQL's buffer cache. The engine zeroes all of it at the start, so the default would occupy 128 MB. */
const SHARED_BUFFERS = "32MB";

/**
 * Opens the embedded database and locks it against other processes. Creates it if it does not exist.
 *
 * @param directory its folder, or `memory://`.
 * @param loadDataDir the content of a new in-memory database.
 */
export async function openEmbedded(
  directory: string,
  loadDataDir?: Blob,
): Promise<{ dialect: Dialect; unlock(): void }> {
  const isInMemory = directory.startsWith("memory://");
  const unlock = isInMemory ? () => {} : await lockDirectory(directory);
  if (!isInMemory) {
    await makePrivateFolder(directory);
    await createDatabase(directory);
  }
  const { PGlite } = await import("@electric-sql/pglite"); // loaded only if it is used
  const startParams = [...PGlite.defaultStartParams, "-c", `shared_buffers=${SHARED_BUFFERS}`];
  const pglite = await PGlite.create(directory, { loadDataDir, startParams });
  return { dialect: new PGliteDialect({ pglite: failFastAfterCrash(pglite) }), unlock };
}

/**
 * Returns a function that vacuums and checkpoints when enough has been written. The embedded engine has no background
 * processes: without a vacuum, the space of deleted rows is not reused, and without a checkpoint, the log keeps growing.
 */
export function createTidy(db: Db): () => Promise<void> {
  let tidiedAt: number | undefined;
  return async () => {
    const position = sql<{ bytes: number }>`select (pg_current_wal_lsn() - '0/0')::float8 as bytes`;
    const { rows: [{ bytes }] } = await position.execute(db);
    tidiedAt ??= bytes;
    if (bytes - tidiedAt < TIDY_AFTER_BYTES) return;
    await sql`vacuum`.execute(db);
    await sql`checkpoint`.execute(db);
    tidiedAt = bytes;
  };
}

/**
 * Locks the folder against a second process. The embedded database does not lock its files itself, and two processes
 * would corrupt it. The operating system releases the lock even if the process is killed.
 */
async function lockDirectory(directory: string): Promise<() => void> {
  await Deno.mkdir(directory, { recursive: true });
  const path = `${directory}.lock`;
  const file = await Deno.open(path, { read: true, write: true, create: true });
  if (!await file.tryLock(true)) {
    file.close();
    throw new Error(
      `Cannot open the embedded database in ${directory}: another process has it open. ` +
        "Stop that process, set another DATA_DIR for this one, or set DATABASE_URL.",
    );
  }
  return () => file.close();
}
