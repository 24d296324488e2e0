import { wakeAfterTransactions } from "./after_commit.ts";
import type { DatabaseHandle } from "./database_handle.ts";
import { type EmbeddedOptions, openEmbedded } from "./embedded/open_embedded.ts";
import { openPostgres, type PostgresOptions } from "./postgres/open_postgres.ts";

/** A postgres:// URL opens PostgreSQL. Without one, the embedded database is opened. */
export type DatabaseOptions = EmbeddedOptions & Partial<PostgresOptions>;

/** Opens PostgreSQL if a URL is given, otherwise the embedded database. */
export async function openDatabase({ databaseUrl, ...options }: DatabaseOptions): Promise<DatabaseHandle> {
  const handle = databaseUrl === undefined ? await openEmbedded(options) : openPostgres({ ...options, databaseUrl });
  wakeAfterTransactions(handle.db);
  return handle;
}
