import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { isTransactionConflict } from "../lib/database_errors.ts";
import { errorFields, type Log } from "../lib/log.ts";
import { openEmbedded, tidier } from "./embedded_database.ts";
import { openPool } from "./postgres_pool.ts";
import { migrate } from "./migrate.ts";
import type { Database, Db } from "./schema.ts";

/** An open database. */
export interface DatabaseHandle {
  db: Db;
  /** Brings the schema up to date; any number of instances may call it at once. */
  migrate(): Promise<void>;
  /** To be called now and then: gives back the room of what was deleted, where the engine does not do it by itself. */
  tidy(): Promise<void>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** A postgres:// address; without one the embedded database is opened. */
  databaseUrl?: string;
  /** The folder of the embedded database, or `memory://`. */
  directory: string;
  /** To PostgreSQL, at most; the embedded database has one. */
  connections?: number;
  log: Log;
}

/** Opens PostgreSQL where an address is given, else the embedded database. */
export async function openDatabase(options: DatabaseOptions): Promise<DatabaseHandle> {
  return options.databaseUrl === undefined ? await openEmbeddedHandle(options.directory) : openPostgres(options);
}

/**
 * That nothing answers is noticed in two seconds, by whoever has a connection and by whoever waits for one; and in three
 * by who waits for one and is then not answered either, as where a pooler lends connections to a server at a standstill.
 * Only then: while the server answers, who has waited for long may ask as long a question as everybody.
 */
const WAIT_MS = 2_000;
const SILENCE_WAIT_MS = 500;
const ANSWER_MS = 1_900;
const POSTGRES_SETTINGS = {
  statement_timeout: 1_800,
  lock_timeout: 1_500,
  idle_in_transaction_session_timeout: 10_000,
};
/** Migrations wait for those of another instance, however long they take. */
const MIGRATION_POOL = { max: 1, connectionTimeoutMillis: 10_000 };

function openPostgres({ databaseUrl: connectionString, connections = 10, log }: DatabaseOptions): DatabaseHandle {
  const limits = { connections, waitMs: WAIT_MS, silenceWaitMs: SILENCE_WAIT_MS, answerMs: ANSWER_MS };
  const pool = openPool({ connectionString, ...POSTGRES_SETTINGS }, limits, log);
  const db = withSecondTry(new Kysely<Database>({ dialect: new PostgresDialect({ pool }) }), log);
  return {
    db,
    async migrate() {
      const pool = new pg.Pool({ connectionString, ...MIGRATION_POOL });
      const noteLoss = (error: Error) => log("warn", "database connection lost", errorFields(error));
      pool.on("error", noteLoss).on("connect", (client) => client.on("error", noteLoss));
      const patient = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
      await migrate(patient).catch(cannotUse).finally(() => patient.destroy());
    },
    tidy: () => Promise.resolve(),
    close: () => db.destroy(),
  };
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

async function openEmbeddedHandle(directory: string): Promise<DatabaseHandle> {
  const { dialect, unlock } = await openEmbedded(directory);
  const db = new Kysely<Database>({ dialect });
  return {
    db,
    migrate: () => migrate(db),
    tidy: tidier(db),
    async close() {
      await db.destroy();
      unlock();
    },
  };
}

/** The address is not told: it may hold a password. */
function cannotUse(cause: Error & { code?: string }): never {
  throw new Error(`Cannot use the database at DATABASE_URL: ${cause.message || cause.code}`, { cause });
}
