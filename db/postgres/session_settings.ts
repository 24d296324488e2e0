import type pg from "pg";

/** Settings of PostgreSQL and their values. */
export type SessionSettings = Record<string, string>;

/**
 * What the service relies on. An operator may have set something else for the server, the database or the role, for
 * other programs.
 */
const EXPECTED: SessionSettings = {
  bytea_output: "hex",
  datestyle: "ISO, MDY",
  default_transaction_isolation: "read committed",
  intervalstyle: "postgres",
  standard_conforming_strings: "on",
  timezone: "UTC",
  transform_null_equals: "off",
};

/**
 * Returns what a pool does with each new connection: it makes the settings with a statement. Poolers such as PgBouncer
 * refuse settings that are sent with the start of a connection.
 */
export function setForSession(settings: SessionSettings, timeoutMs: number): (client: pg.ClientBase) => Promise<void> {
  const calls = Object.entries({ ...EXPECTED, ...settings }).map(([name, value]) =>
    `set_config('${name}', '${value}', false)`
  );
  const statement = { text: `select ${calls.join(", ")}`, query_timeout: timeoutMs };
  return async (client) => void await client.query(statement);
}
