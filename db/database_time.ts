import { sql } from "kysely";
import type { DatabaseTime } from "./schema.ts";

/**
 * Returns SQL for the database's time plus `offsetSeconds`. Uses `now()`, because PostgreSQL cannot use an index with
 * `clock_timestamp()`.
 */
export const databaseTime: DatabaseTime = (offsetSeconds = 0) =>
  sql<Date>`now() + make_interval(secs => ${offsetSeconds})`;
