import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { type Kysely, sql } from "kysely";
import { openDatabase } from "../../db/connection.ts";
import { migrate, MIGRATION_NAMES } from "../../db/migrate.ts";
import { up as addSessionFacts } from "../../db/migrations/0012_add_session_facts.ts";
import { up as createIdentities } from "../../db/migrations/0032_create_identities.ts";
import { up as pairScopes } from "../../db/migrations/0059_pair_scopes_with_resources.ts";
import { ConfigError } from "../../lib/config/config.ts";
import { openTestDatabase } from "../support/database/test_database.ts";

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

Deno.test("a start logs which migrations it has applied", async () => {
  const logged: unknown[] = [];
  const empty = await openDatabase({
    directory: "memory://",
    log(level, message, { durationMs, ...fields } = {}) {
      logged.push([level, message, fields]);
      ok(typeof durationMs === "number" && durationMs > 0, String(durationMs));
    },
  });
  await empty.migrate();
  await empty.migrate();
  await empty.close();
  deepStrictEqual(logged, [["info", "migrations applied", { migrations: MIGRATION_NAMES }]]);
});

Deno.test("an unknown migration before our last one is an error that names the versions that can be upgraded", async () => {
  await rejects(migrateWith("0003_create_something_else"), (error: Error) => {
    ok(error instanceof ConfigError);
    match(error.message, /0003_create_something_else is missing/);
    match(error.message, /Databases of 0\.1\.0, and of commits since e2aa50a0 .* can be upgraded/);
    return true;
  });
});

Deno.test("concurrent migrations of an up-to-date database log no warning", async () => {
  const logged: unknown[] = [];
  await Promise.all(Array.from({ length: 5 }, () => migrate(db, (...line) => void logged.push(line))));
  strictEqual(logged.length, 0);
});

Deno.test("an up-to-date database is only read, and not locked", async () => {
  // The migrator and its lock would need a connection of their own, which a transaction does not have.
  await db.transaction().setAccessMode("read only").execute((trx) => migrate(trx, () => {}));
});

Deno.test("existing sessions get their facts, and the table is written only once", async () => {
  const rows = await db.transaction().execute(async (trx) => {
    // Temporary tables hide the others.
    await sql`create temporary table users (id text, idp_id text, password_hash text) on commit drop`.execute(trx);
    await sql`insert into users values ('u', null, 'h'), ('both', 'i', 'h'), ('idp', 'i', null)`.execute(trx);
    await sql`create temporary table sessions (user_id text, created_at timestamptz) on commit drop`.execute(trx);
    await sql`insert into sessions values ('u', '2026-01-01Z'), ('both', '2026-01-02Z'), ('idp', '2026-01-03Z')`
      .execute(trx);
    await addSessionFacts(trx as unknown as Kysely<unknown>);
    await sql`insert into sessions (user_id, created_at) values ('new', now())`.execute(trx);
    const { rows } = await sql<Record<string, unknown>>`
      select user_id, method, ctid::text as place, length(public_id) as length,
        last_seen_at = created_at and authenticated_at = created_at as is_dated
      from sessions order by created_at
    `.execute(trx);
    return rows;
  });
  deepStrictEqual(rows.map(({ user_id, method, place }) => [user_id, method, place]), [
    ["u", "password", "(0,1)"],
    ["both", "password", "(0,2)"],
    ["idp", "idp", "(0,4)"],
    ["new", "password", "(0,5)"],
  ]);
  deepStrictEqual(rows.map(({ length, is_dated }) => [length, is_dated]), Array(4).fill([36, true]));
});

Deno.test("people who log in with the default provider keep their identities", async () => {
  const rollback = new Error("rollback");
  let rows: unknown[] = [];
  const attempt = db.transaction().execute(async (trx) => {
    await sql`drop trigger users_copy_idp_id on users`.execute(trx);
    await sql`drop function copy_idp_id`.execute(trx);
    await sql`drop table identities`.execute(trx);
    await sql`drop function new_identity_id`.execute(trx);
    await sql`
      insert into users (id, email, name, idp_id, idp_linked_at, created_at, updated_at) values
        ('a', 'a@example.com', 'A', null, null, '2026-01-01Z', '2026-01-01Z'),
        ('b', 'b@example.com', 'B', 'https://id.example b', null, '2026-01-02Z', '2026-01-02Z'),
        ('c', 'c@example.com', 'C', 'https://id.example c', '2026-01-04Z', '2026-01-03Z', '2026-01-03Z')
    `.execute(trx);
    await createIdentities(trx as unknown as Kysely<unknown>);
    rows = await trx.selectFrom("identities").select(["user_id", "provider", "subject", "email", "linked_at"])
      .orderBy("user_id").execute();
    throw rollback;
  });
  await rejects(attempt, rollback);
  const identity = (user: string, day: string) => ({
    user_id: user,
    provider: "default",
    subject: `https://id.example ${user}`,
    email: null,
    linked_at: new Date(day),
  });
  deepStrictEqual(rows, [identity("b", "2026-01-02Z"), identity("c", "2026-01-04Z")]);
});

Deno.test("a consent for one resource says where its scopes belong", async () => {
  const rows = await db.transaction().execute(async (trx) => {
    await sql`create temporary table consents (id text, scopes text[], resources text[]) on commit drop`.execute(trx);
    await sql`
      insert into consents values
        ('none', '{openid,profile:read}', '{}'),
        ('one', '{openid,offline_access,read,write}', '{https://a.example}'),
        ('own', '{openid,email}', '{https://a.example}'),
        ('two', '{openid,read}', '{https://a.example,https://b.example}')
    `.execute(trx);
    await pairScopes(trx as unknown as Kysely<unknown>);
    await sql`insert into consents (id, scopes, resources) values ('rolling', '{read}', '{https://a.example}')`
      .execute(trx);
    const { rows } = await sql<{ id: string; resource_scopes: string[] }>`
      select id, resource_scopes from consents order by id
    `.execute(trx);
    return rows;
  });
  deepStrictEqual(rows.map((row) => [row.id, row.resource_scopes]), [
    ["none", []],
    ["one", ["https://a.example read", "https://a.example write"]],
    ["own", []],
    ["rolling", []],
    ["two", []],
  ]);
});
