import { wakeAfterTransactions } from "./after_commit.ts";
import type { DatabaseHandle } from "./database_handle.ts";
import { type EmbeddedOptions, openEmbedded } from "./embedded/open_embedded.ts";
import { openPostgres, type PostgresOptions } from "./postgres/open_postgres.ts";
import { sql } from "kysely";
import type { DatabaseTime } from "./schema.ts";

/** A postgres:// URL opens PostgreSQL. Without one, the embedded database is opened. */
export type DatabaseOptions = EmbeddedOptions & Partial<PostgresOptions>;

/** Opens PostgreSQL if a URL is given, otherwise the embedded database. */
export async function openDatabase({ databaseUrl, ...options }: DatabaseOptions): Promise<DatabaseHandle> {
  const handle = databaseUrl === undefined ? await openEmbedded(options) : openPostgres({ ...options, databaseUrl });
  wakeAfterTransactions(handle.db);
  return handle;
}

/**
 * Returns SQL for the database's time plus `offsetSeconds`. Uses `now()`, because PostgreSQL cannot use an index with
 * `clock_timestamp()`.
 */
export const databaseTime: DatabaseTime = (offsetSeconds = 0) =>
  sql<Date>`now() + make_interval(secs => ${offsetSeconds})`;
