import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { sql } from "kysely";
import { migrate } from "../../db/migrate.ts";
import { openTestDatabase } from "../support/test_database.ts";

const database = await openTestDatabase();
const { db } = database;
Deno.test.afterAll(() => database[Symbol.asyncDispose]());

async function migrateWith(name: string): Promise<unknown[]> {
  const timestamp = new Date().toISOString();
  await sql`insert into kysely_migration (name, timestamp) values (${name}, ${timestamp})`.execute(db);
  const logged: unknown[] = [];
  try {
    await migrate(db, (...line) => void logged.push(line));
  } finally {
    await sql`delete from kysely_migration where name = ${name}`.execute(db);
  }
  return logged;
}

Deno.test("migrations of a newer release are tolerated with a warning", async () => {
  const name = "9999_create_future";
  const expected = ["warn", "the database has migrations of a newer release", { migrations: [name] }];
  deepStrictEqual(await migrateWith(name), [expected]);
});

Deno.test("an unknown migration before our last one is an error", async () => {
  await rejects(migrateWith("0003_create_something_else"), /0003_create_something_else is missing/);
});

Deno.test("concurrent migrations of an up-to-date database log no warning", async () => {
  const logged: unknown[] = [];
  await Promise.all(Array.from({ length: 5 }, () => migrate(db, (...line) => void logged.push(line))));
  strictEqual(logged.length, 0);
});
