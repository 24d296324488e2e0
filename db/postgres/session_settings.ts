import type pg from "pg";
import { READ_ONLY_SQL, type ReadOnlyReason } from "../read_only.ts";

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

/** Settings that would end our connections. Older servers do not know them. */
const RECENT: SessionSettings = { idle_session_timeout: "0", transaction_timeout: "0" };

/**
 * Returns what a pool does with each new connection: it makes the settings with a statement. Poolers such as PgBouncer
 * refuse settings that are sent with the start of a connection. The statement also finds out why the server takes no
 * writes; null if it takes them.
 */
export function setForSession(
  settings: SessionSettings,
  timeoutMs: number,
): (client: pg.ClientBase) => Promise<ReadOnlyReason | null> {
  const calls = Object.entries({ ...EXPECTED, ...settings }).map(([name, value]) =>
    `set_config('${name}', '${value}', false)`
  );
  const recent = Object.entries(RECENT).map(([name, value]) =>
    `case when current_setting('${name}', true) is not null then set_config('${name}', '${value}', false) end`
  );
  const statement = {
    text: `select ${[...calls, ...recent].join(", ")}, ${READ_ONLY_SQL} as reason`,
    query_timeout: timeoutMs,
  };
  return async (client) => (await client.query<{ reason: ReadOnlyReason | null }>(statement)).rows[0]?.reason ?? null;
}
