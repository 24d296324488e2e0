import { Kysely, PGliteDialect, PostgresDialect } from "kysely";
import pg from "pg";
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

const POSTGRES_POOL = {
  max: 10,
  connectionTimeoutMillis: 2_000,
  statement_timeout: 2_500,
  query_timeout: 2_800,
  lock_timeout: 2_000,
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
    pool.on("error", noteLoss).on("connect", (client) => client.on("error", noteLoss));
    return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  };
  const db = connect(POSTGRES_POOL);
  return {
    db,
    async migrate() {
      const patient = connect(MIGRATION_POOL);
      await migrate(patient).finally(() => patient.destroy());
    },
    close: () => db.destroy(),
  };
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
