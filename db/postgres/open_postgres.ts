import { Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import { ConfigError } from "../../lib/config/config.ts";
import { driverUrl } from "../../lib/config/database_url.ts";
import { exampleOf } from "../../lib/config/examples.ts";
import { errorFields, type Log } from "../../lib/log/log.ts";
import { isDatabaseUnavailable, isTransactionConflict } from "../database_errors.ts";
import type { DatabaseHandle } from "../database_handle.ts";
import { migrate, requireMigrated } from "../migrate.ts";
import { runPreparedWith } from "../prepared_query.ts";
import { findReadOnlyReason } from "../read_only.ts";
import type { Database, Db } from "../schema.ts";
import { createPipeline } from "./pipeline.ts";
import { openPool } from "./pool.ts";
import { type SessionSettings, setForSession } from "./session_settings.ts";

export interface PostgresOptions {
  /** A postgres:// URL. */
  databaseUrl: string;
  /** Maximum number of connections. */
  connections?: number;
  log: Log;
}

/**
 * An unresponsive server is detected within two seconds, or within three if a caller got its connection late and the
 * query on it hangs too, as behind a pooler. While the server responds, a caller that has waited long for a connection
 * still gets the full time for its query.
 */
const WAIT_MS = 2_000;
const UNRESPONSIVE_WAIT_MS = 500;
const RESPONSE_MS = 1_900;
const TIMEOUTS: SessionSettings = {
  statement_timeout: "1800",
  lock_timeout: "1500",
  idle_in_transaction_session_timeout: "10000",
};
/** Migrations wait until those of another instance are finished, and backups take minutes. */
const NO_TIMEOUTS: SessionSettings = {
  statement_timeout: "0",
  lock_timeout: "0",
  idle_in_transaction_session_timeout: "0",
};
const OWN_POOL = { max: 1, connectionTimeoutMillis: 10_000 };

/** Opens a PostgreSQL server. Connects when the first query runs. */
export function openPostgres({ databaseUrl, connections = 10, log }: PostgresOptions): DatabaseHandle {
  const connectionString = driverUrl(databaseUrl);
  const limits = { connections, waitMs: WAIT_MS, unresponsiveWaitMs: UNRESPONSIVE_WAIT_MS, responseMs: RESPONSE_MS };
  const settings = { connectionString, prepare: setForSession(TIMEOUTS, RESPONSE_MS) };
  const pool = openPool(settings, limits, log);
  const db = retryOnConflict(new Kysely<Database>({ dialect: new PostgresDialect({ pool }) }), log);
  runPreparedWith(db, createPipeline(() => pool.connect()));
  return {
    db,
    migrate: () => onOwnConnection(connectionString, log, (own) => migrateUsable(own, log)).catch(throwUnusable),
    requireMigrated: () => requireMigrated(db).catch(throwUnusable),
    tidy: () => Promise.resolve(),
    connectionUse: () => pool.use(),
    longWork: (work) => onOwnConnection(connectionString, log, work),
    async close() {
      await db.destroy();
      await pool.end(); // Kysely ends only a pool that it has used
    },
  };
}

async function onOwnConnection<Result>(
  connectionString: string,
  log: Log,
  work: (db: Db) => Promise<Result>,
): Promise<Result> {
  const prepare = setForSession(NO_TIMEOUTS, OWN_POOL.connectionTimeoutMillis);
  const onConnect = async (client: pg.ClientBase) => void await prepare(client);
  const pool = new pg.Pool({ connectionString, ...OWN_POOL, onConnect });
  const logLoss = (error: Error) => log("warn", "database connection lost", errorFields(error));
  pool.on("error", logLoss).on("connect", (client) => client.on("error", logLoss));
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  return await work(db).finally(() => db.destroy());
}

/** Brings the schema up to date. A database with which the service would start, and then fail, is refused. */
async function migrateUsable(db: Db, log: Log): Promise<void> {
  const problem = await findEncodingProblem(db) ?? await findReadOnlyReason(db);
  if (problem !== null) throw new ConfigError(`${UNUSABLE}: ${problem}`);
  await migrate(db, log);
}

/** Other encodings cannot store every name, and PostgreSQL normalizes text only in UTF8. */
async function findEncodingProblem(db: Db): Promise<string | null> {
  const { rows: [{ encoding }] } = await sql<{ encoding: string }>`
    select current_setting('server_encoding') as encoding
  `.execute(db);
  return encoding === "UTF8"
    ? null
    : `its encoding is ${encoding}. Create it with: createdb --encoding=UTF8 --template=template0`;
}

const UNUSABLE = "Cannot use the database at DATABASE_URL";
/** What to do about an error, by its code, a colon and its message. Sources: PostgreSQL, SQLSTATE; Node, TLS; `pg`. */
const REMEDIES: [error: RegExp, remedy: string][] = [
  [/^28P01/, "In a password in a URL, write characters such as # / ? @ as %23 %2F %3F %40"],
  [/client password must be a string/, "The server asks for a password: postgres://user:password@host/name"],
  [/^3D000/, "Create it with: createdb --owner=ROLE DATABASE"],
  [/^3F000/, "No schema of the role's search_path exists. Undo its setting: alter role ... reset search_path"],
  [/^42501/, "The role must own the database and its tables: alter database ... owner to ..."],
  [/^42704/, "Correct the parameter options of the URL"],
  [/SELF_SIGNED|^UNABLE_TO_/, "Name the certificate of its authority: sslrootcert=/path/to/ca.pem"],
  [/^ERR_TLS_CERT_ALTNAME_INVALID/, "Write the host as it is in the certificate"],
  [/ SSL connection/, "Turn on TLS there, or write sslmode=disable if no one else can read this network"],
  [/^ENOENT/, "The file or the folder must exist on this machine"],
];

/** Leaves out the URL, because it may contain a password. */
function throwUnusable(cause: Error & { code?: string }): never {
  if (cause instanceof ConfigError) throw cause;
  const message = `${UNUSABLE}: ${cause.message || cause.code}`;
  const [, remedy] = REMEDIES.find(([error]) => error.test(`${cause.code ?? ""}: ${cause.message}`)) ?? [];
  if (remedy !== undefined) throw new ConfigError(`${message}. ${remedy}`, { cause });
  if (!isDatabaseUnavailable(cause)) throw new Error(message, { cause });
  throw new ConfigError(`${message}. Example: ${exampleOf("DATABASE_URL")}`, { cause });
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
