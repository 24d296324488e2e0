import { sql } from "kysely";
import pg from "pg";
import { openDatabase } from "../../../db/connection.ts";
import type { Db, LongWork } from "../../../db/schema.ts";
import { readDatabaseTemplate, serverTemplate } from "./database_template.ts";

/** A migrated database for one test file. It is deleted when it is disposed of. */
export interface TestDatabase {
  db: Db;
  longWork: LongWork;
  engine: "pglite" | "postgres";
  /** The settings that make the app use this database. Empty for the embedded one, which is in memory. */
  config: { databaseUrl?: string };
  /** Empties every table and restarts its counters. */
  empty(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Opens a new database on the server at TEST_DATABASE_URL, or an embedded one if the variable is not set. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const serverUrl = Deno.env.get("TEST_DATABASE_URL");
  return serverUrl ? await openOnServer(serverUrl) : await open({});
}

async function openOnServer(serverUrl: string): Promise<TestDatabase> {
  const name = `foyer_test_${crypto.randomUUID().replaceAll("-", "")}`;
  await runOnServer(serverUrl, `create database ${name} template ${serverTemplate()}`);
  const drop = () => runOnServer(serverUrl, `drop database ${name} with (force)`);
  const url = new URL(serverUrl);
  url.pathname = name;
  try {
    const database = await open({ databaseUrl: url.href });
    return { ...database, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]().finally(drop) };
  } catch (error) {
    await drop();
    throw error;
  }
}

async function open(config: TestDatabase["config"]): Promise<TestDatabase> {
  const contents = config.databaseUrl === undefined ? await readDatabaseTemplate() : undefined;
  const handle = await openDatabase({ ...config, directory: "memory://", contents, log: () => {} });
  try {
    await handle.migrate();
  } catch (error) {
    await handle.close();
    throw error;
  }
  return {
    db: handle.db,
    longWork: handle.longWork,
    engine: config.databaseUrl === undefined ? "pglite" : "postgres",
    config,
    empty: () => deleteRows(handle.db),
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

/** Deletes the rows. A `truncate` would create new files for every table and index, which takes much longer. */
async function deleteRows(db: Db): Promise<void> {
  await sql`
    do $$
    declare
      name text;
    begin
      set local session_replication_role = replica; -- ignores foreign keys, so any order works
      for name in select tablename from pg_tables where schemaname = 'public' and tablename not like 'kysely\\_%' loop
        execute format('delete from %I', name);
      end loop;
      perform setval(format('%I', sequencename)::regclass, start_value, false) from pg_sequences where schemaname = 'public';
    end $$
  `.execute(db);
}

async function runOnServer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
