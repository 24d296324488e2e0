import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { wakeAfterTransactions } from "./after_commit.ts";
import { isTransactionConflict } from "./database_errors.ts";
import { errorFields, type Log } from "../lib/log.ts";
import { createTidy, openEmbedded } from "./embedded/open_embedded.ts";
import { openPool } from "./postgres/pool.ts";
import { runPreparedWith } from "./prepared_query.ts";
import { createPipeline } from "./postgres/pipeline.ts";
import { migrate } from "./migrate.ts";
import type { Database, Db } from "./schema.ts";

/** An open database. */
export interface DatabaseHandle {
  db: Db;
  /** Brings the schema up to date. Any number of instances may call it at once. */
  migrate(): Promise<void>;
  /** Frees the space of deleted rows if the engine does not do so itself. Call it regularly. */
  tidy(): Promise<void>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** A postgres:// URL. Without one, the embedded database is opened. */
  databaseUrl?: string;
  /** The folder of the embedded database, or `memory://`. */
  directory: string;
  /** The content of a new in-memory database, as a dump of PGlite. Used by tests. */
  contents?: Blob;
  /** Maximum number of connections to PostgreSQL. The embedded database has one. */
  connections?: number;
  log: Log;
}

/** Opens PostgreSQL if a URL is given, otherwise the embedded database. */
export async function openDatabase(options: DatabaseOptions): Promise<DatabaseHandle> {
  return options.databaseUrl === undefined ? await openEmbeddedHandle(options) : openPostgres(options);
}

/**
 * An unresponsive server is detected within two seconds, or within three if a caller got its connection late and the query
 * on it hangs too, as behind a pooler. While the server responds, a caller that has waited long for a connection still
 * gets the full time for its query.
 */
const WAIT_MS = 2_000;
const UNRESPONSIVE_WAIT_MS = 500;
const RESPONSE_MS = 1_900;
const POSTGRES_SETTINGS = {
  statement_timeout: 1_800,
  lock_timeout: 1_500,
  idle_in_transaction_session_timeout: 10_000,
};
/** Without a statement timeout, because migrations wait until those of another instance are finished. */
const MIGRATION_POOL = { max: 1, connectionTimeoutMillis: 10_000 };

function openPostgres({ databaseUrl: connectionString, connections = 10, log }: DatabaseOptions): DatabaseHandle {
  const limits = { connections, waitMs: WAIT_MS, unresponsiveWaitMs: UNRESPONSIVE_WAIT_MS, responseMs: RESPONSE_MS };
  const pool = openPool({ connectionString, ...POSTGRES_SETTINGS }, limits, log);
  const db = wakeAfterTransactions(
    retryOnConflict(new Kysely<Database>({ dialect: new PostgresDialect({ pool }) }), log),
  );
  runPreparedWith(db, createPipeline(() => pool.connect()));
  return {
    db,
    async migrate() {
      const pool = new pg.Pool({ connectionString, ...MIGRATION_POOL });
      const logLoss = (error: Error) => log("warn", "database connection lost", errorFields(error));
      pool.on("error", logLoss).on("connect", (client) => client.on("error", logLoss));
      const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
      await migrate(db, log).catch(throwUnusable).finally(() => db.destroy());
    },
    tidy: () => Promise.resolve(),
    async close() {
      await db.destroy();
      await pool.end(); // Kysely ends only a pool that it has used
    },
  };
}

/**
 * Retries a transaction that was rolled back because of a conflict, such as a deadlock. Code in a transaction must
 * therefore change only rows. There is only one retry, because the server takes a second to detect a deadlock.
 */
function retryOnConflict(db: Db, log: Log): Db {
  const begin = db.transaction.bind(db);
  db.transaction = () => {
    const transaction = begin();
    const execute = transaction.execute.bind(transaction);
    transaction.execute = (work) =>
      execute(work).catch((error) => {
        if (!isTransactionConflict(error)) throw error;
        log("warn", "transaction conflict, retrying", errorFields(error));
        return execute(work);
      });
    return transaction;
  };
  return db;
}

async function openEmbeddedHandle({ directory, contents, log }: DatabaseOptions): Promise<DatabaseHandle> {
  const { dialect, unlock } = await openEmbedded(directory, contents);
  const db = wakeAfterTransactions(new Kysely<Database>({ dialect }));
  return {
    db,
    migrate: () => migrate(db, log),
    tidy: createTidy(db),
    async close() {
      await db.destroy();
      unlock();
    },
  };
}

/** Leaves out the URL, because it may contain a password. */
function throwUnusable(cause: Error & { code?: string }): never {
  throw new Error(`Cannot use the database at DATABASE_URL: ${cause.message || cause.code}`, { cause });
}
