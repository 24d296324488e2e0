import { sql } from "kysely";
import type { DatabaseTime } from "./schema.ts";

/**
 * The database's time, `offsetSeconds` from now. It is `now()` because an index cannot be used with
 * `clock_timestamp()`.
 */
export const databaseTime: DatabaseTime = (offsetSeconds = 0) =>
  sql<Date>`now() + make_interval(secs => ${offsetSeconds})`;
