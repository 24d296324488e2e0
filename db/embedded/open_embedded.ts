import type { PGlite } from "@electric-sql/pglite";
import { Kysely, sql } from "kysely";
import { ConfigError } from "../../lib/config/config.ts";
import { type Log, messageOf } from "../../lib/log/log.ts";
import type { DatabaseHandle } from "../database_handle.ts";
import { migrate, requireMigrated } from "../migrate.ts";
import type { Database, Db } from "../schema.ts";
import { failFastAfterCrash } from "./crash.ts";
import { DialectWithTurns } from "./turns.ts";
import { DatabaseInUseError } from "../database_errors.ts";
import { isWorthWaitingFor } from "../database_use.ts";
import { freeBytesAt, makePrivateFolder, PRIVATE } from "../../lib/config/data_dir.ts";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

export interface EmbeddedOptions {
  /** The folder of the database, or `memory://`. */
  directory: string;
  /** The content of a new in-memory database, as a dump of PGlite. Used by tests. */
  contents?: Blob;
  log: Log;
}

/** Growth of the write-ahead log after which to vacuum and checkpoint, which takes a tenth of a second. */
const TIDY_AFTER_BYTES = 16 * 2 ** 20;

/**
 * PostgreSQL's buffer cache. The engine zeroes all of it at the start, so the default would occupy 128 MB. A database
 * in memory, which only tests have, needs little: its files are there already.
 */
const SHARED_BUFFERS = { onDisk: "32MB", inMemory: "8MB" };

/** The engine does not start with less: it may need a new file of its log, which takes half of this. */
const START_FREE_BYTES = 32 * 2 ** 20;

/**
 * Opens the embedded database and locks it against other processes. Creates it if it does not exist.
 *
 * @throws {ConfigError} when another process has it open, or its disk is full.
 */
export async function openEmbedded({ directory, contents, log }: EmbeddedOptions): Promise<DatabaseHandle> {
  const isInMemory = directory.startsWith("memory://");
  const onDisk = <Result>(work: Promise<Result>) =>
    isInMemory ? work : work.catch(async (error) => await throwUnusable(directory, error));
  const unlock = isInMemory ? () => {} : await onDisk(lockFolder(directory));
  if (!isInMemory) await onDisk(createDatabase(directory));
  const buffers = isInMemory ? SHARED_BUFFERS.inMemory : SHARED_BUFFERS.onDisk;
  const dialect = new DialectWithTurns({ pglite: await onDisk(startEngine(directory, buffers, contents)) });
  const db = new Kysely<Database>({ dialect });
  return {
    db,
    migrate: () => onDisk(migrate(db, log)),
    requireMigrated: () => onDisk(requireMigrated(db)),
    tidy: createTidy(db),
    connectionUse: () => ({ ...dialect.use }),
    longWork: (work) => work(db), // there is one connection, and it has no limits
    async close() {
      await db.destroy();
      unlock();
    },
  };
}

/** Says how much space is free: the engine itself does not say that the disk is full. */
async function throwUnusable(directory: string, cause: unknown): Promise<never> {
  if (cause instanceof ConfigError) throw cause;
  const freeBytes = await freeBytesAt(directory);
  const free = `${(freeBytes / 1_000_000).toFixed(1)} MB are free`;
  const message = `Cannot open the embedded database in ${directory}: ${messageOf(cause)}`;
  if (freeBytes >= START_FREE_BYTES) throw new Error(`${message}. On its disk, ${free}`, { cause });
  throw new ConfigError(
    `${message}. Its disk is full: only ${free}. Make room, then start again: nothing is lost. Do not delete anything ` +
      "in this folder",
    { cause },
  );
}

async function startEngine(directory: string, buffers: string, loadDataDir?: Blob): Promise<PGlite> {
  const { PGlite } = await import("@electric-sql/pglite"); // loaded only if it is used
  const startParams = [...PGlite.defaultStartParams, "-c", `shared_buffers=${buffers}`];
  return failFastAfterCrash(await PGlite.create(directory, { loadDataDir, startParams }));
}

/**
 * Returns a function that vacuums and checkpoints when enough has been written. The embedded engine has no background
 * processes: without a vacuum, the space of deleted rows is not reused, and without a checkpoint, the log keeps
 * growing.
 */
function createTidy(db: Db): () => Promise<void> {
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
 * Creates the folder and locks it against a second process. The embedded database does not lock its files itself, and
 * two processes would corrupt it. The operating system releases the lock even if the process is killed.
 *
 * @returns a function that releases the lock.
 * @throws {DatabaseInUseError} when another process holds the lock.
 */
export async function lockFolder(directory: string): Promise<() => void> {
  await makePrivateFolder(directory);
  const path = `${directory}.lock`;
  const file = await Deno.open(path, { read: true, write: true, create: true, ...PRIVATE.file });
  while (!await file.tryLock(true)) {
    const holder = await readHolder(path);
    if (await isWorthWaitingFor(holder)) continue;
    file.close();
    throw new DatabaseInUseError(
      `Cannot open the embedded database in ${directory}: ${holder} has it open. ` +
        "Stop that process, set another DATA_DIR for this one, or set DATABASE_URL. " +
        "Example: DATA_DIR=/var/lib/foyer-2",
    );
  }
  await file.truncate();
  await file.write(new TextEncoder().encode(String(Deno.pid)));
  return () => file.close();
}

/** Names the process that holds the lock. It may just have taken it. */
async function readHolder(path: string): Promise<string> {
  const id = await Deno.readTextFile(path);
  return id === "" ? "another process" : `process ${id}`;
}

/** The file that shows that a folder holds a database. Written last. */
const MARKER = "PG_VERSION";

/** More than the archive holds, so that it is unpacked in one piece: joining pieces would take its memory twice. */
const ARCHIVE_MAX_BYTES = 64 * 2 ** 20;

/** Source: POSIX, pax, ustar interchange format. */
const TAR = { block: 512, name: [0, 100], sizeBytes: [124, 136], type: [156, 157], folder: "5" } as const;

/**
 * Writes a new database into a folder, unless the folder already holds one. If the process is killed meanwhile, the
 * next call starts again. The engine could create the same database itself, but that takes 800 MB and several seconds.
 */
export async function createDatabase(directory: string): Promise<void> {
  for await (const { name } of Deno.readDir(directory)) if (name === MARKER) return;
  const { dataDir } = await import("@electric-sql/pglite-prepopulatedfs"); // loaded only if it is used
  const unfinished = join(directory, `${MARKER}.new`);
  const archive = gunzipSync(await (await dataDir()).bytes(), { chunkSize: ARCHIVE_MAX_BYTES });
  for (const { name, isFolder, content } of entriesOf(archive)) {
    const path = name === `/${MARKER}` ? unfinished : join(directory, name);
    await (isFolder ? Deno.mkdir(path, { recursive: true }) : Deno.writeFile(path, content));
  }
  await Deno.rename(unfinished, join(directory, MARKER));
}

/** Returns the entries of a tar archive. */
function* entriesOf(tar: Uint8Array<ArrayBuffer>) {
  const decoder = new TextDecoder();
  for (let start = 0; tar[start] !== 0;) {
    const field = ([from, to]: readonly [number, number]) =>
      decoder.decode(tar.subarray(start + from, start + to)).split("\0")[0];
    const sizeBytes = parseInt(field(TAR.sizeBytes), 8);
    const contentAt = start + TAR.block;
    const content = tar.subarray(contentAt, contentAt + sizeBytes);
    yield { name: field(TAR.name), isFolder: field(TAR.type) === TAR.folder, content };
    start = contentAt + Math.ceil(sizeBytes / TAR.block) * TAR.block;
  }
}
