import { deepStrictEqual, rejects } from "node:assert/strict";
import { type Kysely, sql } from "kysely";
import { up as addState } from "../../db/migrations/0036_add_state_to_uploads.ts";
import type { Db } from "../../db/schema.ts";
import { openTestDatabase } from "../support/database/test_database.ts";

const database = await openTestDatabase();
const { db } = database;
Deno.test.afterAll(() => database[Symbol.asyncDispose]());
await sql`
  insert into users (id, email, name, created_at, updated_at) values ('u', 'u@example.com', 'Ada', now(), now())
`.execute(db);

/** What both releases see of an upload. */
async function readUpload(trx: Db, id: string) {
  const { rows: [row] } = await sql<{ state: string; status: string; is_deleted: boolean }>`
    select state, status, deleted_at is not null as is_deleted from uploads where id = ${id}
  `.execute(trx);
  return [row.state, row.status, row.is_deleted];
}

const VALUES = sql`'u', 'a.txt', 'text/plain', 5, 'file', now(), now()`;

/** Inserts an upload as the previous release does, which knows no state. */
async function insertAsBefore(trx: Db, id: string): Promise<void> {
  await sql`
    insert into uploads (id, key, user_id, filename, content_type, bytes, purpose, expires_at, created_at)
    values (${id}, ${id}, ${VALUES})
  `.execute(trx);
}

/** Inserts an upload as this release does. */
async function insertWithState(trx: Db, id: string): Promise<void> {
  await sql`
    insert into uploads (id, key, state, user_id, filename, content_type, bytes, purpose, expires_at, created_at)
    values (${id}, ${id}, 'pending', ${VALUES})
  `.execute(trx);
}

type Step = [change: string, state: string, status: string, isDeleted: boolean];
/** What the previous release writes, step by step. */
const BEFORE: Record<string, Step[]> = {
  "a discarded file that is restored": [
    ["status = 'stored'", "stored", "stored", false],
    ["deleted_at = now()", "discarded", "stored", true],
    ["deleted_at = null", "stored", "stored", false],
  ],
  "a discarded file that is deleted": [
    ["status = 'stored'", "stored", "stored", false],
    ["deleted_at = now()", "discarded", "stored", true],
    ["status = 'refused'", "removing", "refused", true],
    ["user_id = null", "removing", "refused", true],
  ],
  "a refused upload": [["status = 'refused'", "removing", "refused", false]],
  "a deleted upload": [["status = 'refused', deleted_at = now()", "removing", "refused", true]],
};
/** What this release writes. */
const NOW: Record<string, Step[]> = {
  "a discarded file that is restored": [
    ["state = 'stored'", "stored", "stored", false],
    ["state = 'discarded', deleted_at = now()", "discarded", "stored", true],
    ["state = 'stored', deleted_at = null", "stored", "stored", false],
  ],
  "a discarded file that is deleted": [
    ["state = 'stored'", "stored", "stored", false],
    ["state = 'discarded', deleted_at = now()", "discarded", "stored", true],
    ["state = 'removing', deleted_at = now()", "removing", "refused", true],
    ["user_id = null", "removing", "refused", true],
  ],
  "a refused upload that its owner deletes": [
    ["state = 'removing'", "removing", "refused", false],
    ["state = 'removing', deleted_at = now()", "removing", "refused", true],
  ],
};

for (
  const [release, insert, cases] of [["previous one", insertAsBefore, BEFORE], [
    "current one",
    insertWithState,
    NOW,
  ]] as const
) {
  for (const [name, steps] of Object.entries(cases)) {
    Deno.test(`both releases see the same of ${name}, written by the ${release}`, async () => {
      await inRolledBack(async (trx) => {
        await insert(trx, "x");
        deepStrictEqual(await readUpload(trx, "x"), ["pending", "pending", false]);
        for (const [change, ...expected] of steps) {
          await sql`update uploads set ${sql.raw(change)} where id = 'x'`.execute(trx);
          deepStrictEqual(await readUpload(trx, "x"), expected, change);
        }
      });
    });
  }
}

Deno.test("an upload is deleted by its owner only in the states that say so", async () => {
  for (const change of ["state = 'discarded'", "state = 'stored', deleted_at = now()", "state = 'lost'"]) {
    const attempt = inRolledBack(async (trx) => {
      await insertWithState(trx, "x");
      await sql`update uploads set ${sql.raw(change)} where id = 'x'`.execute(trx);
    });
    await rejects(attempt, /uploads_(state|deleted_at)/, change);
  }
});

Deno.test("existing uploads get their state", async () => {
  const changes = {
    pending: "status = 'pending'",
    stored: "status = 'stored'",
    discarded: "status = 'stored', deleted_at = now()",
    refused: "status = 'refused'",
    deleted: "status = 'refused', deleted_at = now()",
    ownerless: "status = 'stored', user_id = null",
  };
  await inRolledBack(async (trx) => {
    await undoMigration(trx);
    for (const [id, change] of Object.entries(changes)) {
      await insertAsBefore(trx, id);
      await sql`update uploads set ${sql.raw(change)} where id = ${id}`.execute(trx);
    }
    await addState(trx as unknown as Kysely<unknown>);
    const { rows } = await sql<{ id: string; state: string }>`select id, state from uploads`.execute(trx);
    deepStrictEqual(Object.fromEntries(rows.map(({ id, state }) => [id, state])), {
      pending: "pending",
      stored: "stored",
      discarded: "discarded",
      refused: "removing",
      deleted: "removing",
      ownerless: "stored",
    });
  });
});

async function undoMigration(trx: Db): Promise<void> {
  await sql`drop trigger uploads_keep_state on uploads`.execute(trx);
  await sql`drop function keep_upload_state`.execute(trx);
  await sql`alter table uploads drop column state`.execute(trx);
  await sql`drop function state_of_upload`.execute(trx);
  await sql`create index uploads_user_id on uploads (user_id, id)`.execute(trx);
  await sql`create index uploads_without_user on uploads (id) where user_id is null`.execute(trx);
}

async function inRolledBack(act: (trx: Db) => Promise<void>): Promise<void> {
  const rollback = new Error("rollback");
  await db.transaction().execute(async (trx) => {
    await act(trx);
    throw rollback;
  }).catch((error) => {
    if (error !== rollback) throw error;
  });
}
