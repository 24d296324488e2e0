import type { PGlite } from "@electric-sql/pglite";
import { Kysely, sql } from "kysely";
import type { Log } from "../../lib/log.ts";
import type { DatabaseHandle } from "../database_handle.ts";
import { migrate, requireMigrated } from "../migrate.ts";
import type { Database, Db } from "../schema.ts";
import { failFastAfterCrash } from "./crash.ts";
import { lockFolder } from "./folder_lock.ts";
import { createDatabase } from "./prepared_folder.ts";
import { DialectWithTurns } from "./turns.ts";

export interface EmbeddedOptions {
  /** The folder of the database, or `memory://`. */
  directory: string;
  /** The content of a new in-memory database, as a dump of PGlite. Used by tests. */
  contents?: Blob;
  log: Log;
}

/** Growth of the write-ahead log after which to vacuum and checkpoint, which takes a tenth of a second. */
const TIDY_AFTER_BYTES = 16 * 2 ** 20;

/** PostgreSQL's buffer cache. The engine zeroes all of it at the start, so the default would occupy 128 MB. */
const SHARED_BUFFERS = "32MB";

/** Opens the embedded database and locks it against other processes. Creates it if it does not exist. */
export async function openEmbedded({ directory, contents, log }: EmbeddedOptions): Promise<DatabaseHandle> {
  const isInMemory = directory.startsWith("memory://");
  const unlock = isInMemory ? () => {} : await lockFolder(directory);
  if (!isInMemory) await createDatabase(directory);
  const dialect = new DialectWithTurns({ pglite: await startEngine(directory, contents) });
  const db = new Kysely<Database>({ dialect });
  return {
    db,
    migrate: () => migrate(db, log),
    requireMigrated: () => requireMigrated(db),
    tidy: createTidy(db),
    connectionUse: () => ({ ...dialect.use }),
    longWork: (work) => work(db), // there is one connection, and it has no limits
    async close() {
      await db.destroy();
      unlock();
    },
  };
}

async function startEngine(directory: string, loadDataDir?: Blob): Promise<PGlite> {
  const { PGlite } = await import("@electric-sql/pglite"); // loaded only if it is used
  const startParams = [...PGlite.defaultStartParams, "-c", `shared_buffers=${SHARED_BUFFERS}`];
  return failFastAfterCrash(await PGlite.create(directory, { loadDataDir, startParams }));
}

/**
 * Returns a function that vacuums and checkpoints when enough has been written. The embedded engine has no background
 * processes: without a vacuum, the space of deleted rows is not reused, and without a checkpoint, the log keeps growing.
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
