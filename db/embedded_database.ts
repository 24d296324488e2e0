import { type Dialect, PGliteDialect, sql } from "kysely";
import { makePrivateFolder } from "../lib/data_dir.ts";
import { failFastAfterCrash } from "./embedded_engine.ts";
import type { Db } from "./schema.ts";

/** Growth of the write-ahead log after which the database is tidied, which takes a tenth of a second. */
const TIDY_AFTER_BYTES = 16 * 2 ** 20;

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
  if (!isInMemory && await isEmpty(directory)) await createDatabase(directory);
  if (!isInMemory) await makePrivateFolder(directory);
  const { PGlite } = await import("@electric-sql/pglite"); // loaded only if it is used
  const pglite = await PGlite.create(directory, { loadDataDir });
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

async function isEmpty(directory: string): Promise<boolean> {
  for await (const _entry of Deno.readDir(directory)) return false;
  return true;
}

/**
 * Creates the database in another folder and moves it into place, so that a killed process leaves no incomplete database.
 * If the folder cannot be replaced, for example because it is a mount point, opening it creates the database.
 */
async function createDatabase(directory: string): Promise<void> {
  const target = await Deno.realPath(directory);
  const unfinished = `${target}.new`;
  await removeAll(unfinished);
  await createInWorker(unfinished);
  try {
    await Deno.remove(target);
    await Deno.rename(unfinished, target);
  } catch {
    await Deno.mkdir(target, { recursive: true });
    await removeAll(unfinished);
  }
}

async function removeAll(path: string): Promise<void> {
  await Deno.remove(path, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
}

async function createInWorker(directory: string): Promise<void> {
  const worker = new Worker(new URL("./make_database.ts", import.meta.url), { type: "module" });
  try {
    await new Promise((resolve, reject) => {
      worker.addEventListener("message", resolve);
      worker.addEventListener("error", (event) => {
        event.preventDefault();
        const message = `Cannot create the embedded database in ${directory}: ${event.message}`;
        reject(new Error(message, { cause: event.error }));
      });
      worker.postMessage(directory);
    });
  } finally {
    worker.terminate();
  }
}
