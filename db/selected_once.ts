import { type Expression, type RawBuilder, sql } from "kysely";

/**
 * Compares a column with the ids that a query selects: `where("id", "=", selectedOnce(query))`. Use it for a query with
 * a limit and locks. PostgreSQL may run a query in `id in (...)` once for each row of the table, and each run would
 * lock other rows: more than the limit.
 */
export function selectedOnce(ids: Expression<{ id: string }>): RawBuilder<string> {
  return sql`any(array(${ids}))`;
}
