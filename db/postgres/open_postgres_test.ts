import { deepStrictEqual, match, ok, rejects } from "node:assert/strict";
import { sql } from "kysely";
import { ConfigError } from "../../lib/config/config.ts";
import { startCluster } from "../../tests/support/database/postgres_cluster.ts";
import { openPostgres } from "./open_postgres.ts";

/** No program listens on the first port. */
const UNREACHABLE = "127.0.0.1:1";

Deno.test("a database that cannot be reached is refused with the reason and an example, without its password", async () => {
  const database = openPostgres({ databaseUrl: `postgres://foyer:hunter2@${UNREACHABLE}/foyer`, log() {} });
  const expected = new ConfigError(
    `Cannot use the database at DATABASE_URL: connect ECONNREFUSED ${UNREACHABLE}. Example: ` +
      "DATABASE_URL=postgres://foyer@db.example.com/foyer?sslmode=verify-full",
  );
  await rejects(database.migrate(), expected).finally(() => database.close());
});

/** What an operator may have set for other programs. */
const FOREIGN_SETTINGS: Record<string, string> = {
  bytea_output: "escape",
  datestyle: "German",
  default_transaction_isolation: "serializable",
  idle_session_timeout: "1s",
  intervalstyle: "iso_8601",
  lock_timeout: "1ms",
  standard_conforming_strings: "off",
  statement_timeout: "1s",
  timezone: "America/St_Johns",
  transform_null_equals: "on",
};

Deno.test("a database role's own settings change nothing", async () => {
  await using cluster = await startCluster();
  const plain = openPostgres({ databaseUrl: cluster.url, log() {} });
  const time = new Date("2026-12-31T23:30:00Z");
  const look = async (database: typeof plain) => {
    const { rows } = await sql`
      select
        ${time}::timestamptz as time,
        extract(day from ${time}::timestamptz)::int as day,
        '\\x01'::bytea as bytes,
        '1 day'::interval as interval,
        'a\\b' as text,
        null = null as unknown,
        current_setting('transaction_isolation') as isolation,
        current_setting('statement_timeout') as statement_timeout,
        current_setting('lock_timeout') as lock_timeout,
        current_setting('idle_session_timeout') as idle_session_timeout
    `.execute(database.db);
    return rows;
  };
  const expected = await look(plain);
  for (const [name, value] of Object.entries(FOREIGN_SETTINGS)) {
    await sql.raw(`alter database postgres set ${name} = '${value}'`).execute(plain.db);
  }
  await plain.close();
  const foreign = openPostgres({ databaseUrl: cluster.url, log() {} });
  deepStrictEqual(await look(foreign), expected);
  deepStrictEqual(await foreign.longWork(async (db) => (await sql`show statement_timeout`.execute(db)).rows), [
    { statement_timeout: "0" },
  ]);
  await foreign.close();
});

/** Each is made by the statements, as the superuser. The role may log in, and owns nothing else. */
const UNUSABLE: [statements: string[], message: RegExp][] = [
  [
    ["create database db owner role encoding 'SQL_ASCII' template template0"],
    /: its encoding is SQL_ASCII\. Create it/,
  ],
  [["create database db owner role encoding 'LATIN1' template template0"], /: its encoding is LATIN1\. Create it with/],
  [
    ["create database db owner role", "alter role role set search_path = nowhere"],
    /: no schema has been selected to create in\. .* reset search_path$/,
  ],
  [["create database db"], /: permission denied for schema public\. The role must own the database/],
  [[], /: database "db" does not exist\. Create it with: createdb/],
  [
    ["create database db owner role", "alter role role set default_transaction_read_only = on"],
    /: default_transaction_read_only is on for the role, the database or the server/,
  ],
  [["create database db owner role", "alter role role connection limit 0"], /: too many connections for role "role"/],
];

Deno.test("a start is refused with what to do, where the service would fail later", async () => {
  await using cluster = await startCluster();
  const owner = openPostgres({ databaseUrl: cluster.url, log() {} });
  const url = new URL(cluster.url);
  const database = openPostgres({ databaseUrl: `${url}?sslmode=require`, log() {} });
  await rejects(database.migrate(), /does not support SSL connections\. Turn on TLS there/).finally(database.close);
  Object.assign(url, { username: "role", pathname: "/db" });
  for (const [statements, message] of UNUSABLE) {
    for (const statement of ["create role role login", ...statements]) await sql.raw(statement).execute(owner.db);
    const database = openPostgres({ databaseUrl: url.href, log() {} });
    await rejects(database.migrate(), (error: Error) => {
      ok(error instanceof ConfigError, `${error}`);
      match(error.message, message);
      return true;
    }).finally(() => database.close());
    for (const statement of ["drop database if exists db", "drop role role"]) {
      await sql.raw(statement).execute(owner.db);
    }
  }
  await owner.close();
});
