import { Kysely, PGliteDialect, PostgresDialect } from "kysely";
import pg from "pg";
import { isTransactionConflict } from "../lib/database_errors.ts";
import { errorFields, type Log } from "../lib/log.ts";
import { migrate } from "./migrate.ts";
import type { Database, Db } from "./schema.ts";

/** An open database. */
export interface DatabaseHandle {
  db: Db;
  /** Brings the schema up to date; any number of instances may call it at once. */
  migrate(): Promise<void>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** A postgres:// address; without one the embedded database is opened. */
  databaseUrl?: string;
  /** The folder of the embedded database, or `memory://`. */
  directory: string;
  log: Log;
}

/** Opens PostgreSQL where an address is given, else the embedded database. */
export function openDatabase({ databaseUrl, directory, log }: DatabaseOptions): Promise<DatabaseHandle> {
  return databaseUrl === undefined ? openEmbedded(directory) : Promise.resolve(openPostgres(databaseUrl, log));
}

/**
 * Whoever asks is told within three seconds that there is no answer. The server is to give up first, as long as it can:
 * that leaves the connection whole.
 */
const POSTGRES_POOL = {
  max: 10,
  connectionTimeoutMillis: 2_000,
  statement_timeout: 1_800,
  query_timeout: 2_000,
  lock_timeout: 1_500,
  idle_in_transaction_session_timeout: 10_000,
};
/** Migrations wait for those of another instance, however long they take. */
const MIGRATION_POOL = { max: 1, connectionTimeoutMillis: 10_000 };

function openPostgres(connectionString: string, log: Log): DatabaseHandle {
  const connect = (settings: pg.PoolConfig): Db => {
    const pool = new pg.Pool({ connectionString, ...settings });
    // Without listeners a connection that breaks would end the process.
    // The pool listens to a connection only while that is idle: the second one is for those in the middle of something.
    const noteLoss = (error: Error) => log("warn", "database connection lost", errorFields(error));
    pool.on("error", noteLoss).on("connect", (client) => endWhenStuck(client.on("error", noteLoss)));
    return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  };
  const db = withSecondTry(connect(POSTGRES_POOL), log);
  return {
    db,
    async migrate() {
      const patient = connect(MIGRATION_POOL);
      await migrate(patient).finally(() => patient.destroy());
    },
    close: () => db.destroy(),
  };
}

/**
 * Ends the connection with a query that did not come back: the rollback behind it, and then the next request that got
 * the connection, would wait as long again.
 */
function endWhenStuck(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
  const watched = (...args: unknown[]) =>
    query(...args).catch((error) => {
      if (error.message === "Query read timeout") void (client as pg.PoolClient & pg.Client).end();
      throw error;
    });
  client.query = watched as typeof client.query;
}

/**
 * Runs a transaction again that lost against another, such as in a deadlock. It was undone: so what runs in one changes
 * nothing outside of it. Only once, because it takes the server a second to see a deadlock.
 */
function withSecondTry(db: Db, log: Log): Db {
  const begin = db.transaction.bind(db);
  db.transaction = () => {
    const transaction = begin();
    const execute = transaction.execute.bind(transaction);
    transaction.execute = (work) =>
      execute(work).catch((error) => {
        if (!isTransactionConflict(error)) throw error;
        log("warn", "transaction lost against another, trying again", errorFields(error));
        return execute(work);
      });
    return transaction;
  };
  return db;
}

async function openEmbedded(directory: string): Promise<DatabaseHandle> {
  const unlock = directory.startsWith("memory://") ? () => {} : await lockDirectory(directory);
  const { PGlite } = await import("@electric-sql/pglite"); // nothing that PostgreSQL's users should load
  const pglite = await PGlite.create(directory);
  const db = new Kysely<Database>({ dialect: new PGliteDialect({ pglite }) });
  return {
    db,
    migrate: () => migrate(db),
    async close() {
      await db.destroy();
      unlock();
    },
  };
}

/**
 * Keeps a second process out: two on one folder destroy it, and the embedded database itself does not look.
 * The lock is the operating system's, so it goes with the process, however that ends.
 */
async function lockDirectory(directory: string): Promise<() => void> {
  await Deno.mkdir(directory, { recursive: true });
  const path = `${directory}.lock`;
  const file = await Deno.open(path, { read: true, write: true, create: true });
  if (!await file.tryLock(true)) {
    file.close();
    throw new Error(
      `Cannot open the embedded database in ${directory}: another process has it open. ` +
        "Stop that one, give this one a DATA_DIR of its own, or set DATABASE_URL.",
    );
  }
  return () => file.close();
}
