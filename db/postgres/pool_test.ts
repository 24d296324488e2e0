import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { type Kysely, sql } from "kysely";
import { openDatabase } from "../connection.ts";
import { isDatabaseUnavailable } from "../database_errors.ts";
import { type Placeholders, prepare } from "../prepared_query.ts";
import type { Db } from "../schema.ts";
import { delay } from "../../tests/support/delay.ts";
import { startCluster } from "../../tests/support/database/postgres_cluster.ts";

const PATIENCE_MS = 3_000;

const cluster = await startCluster();
Deno.test.afterAll(async () => await cluster[Symbol.asyncDispose]());

/** Runs a test with a pool of two connections to an empty database. */
async function withPool(test: (db: Kysely<unknown>) => Promise<void>): Promise<void> {
  const database = await openDatabase({ databaseUrl: cluster.url, directory: "", connections: 2, log() {} });
  const db = database.db as unknown as Kysely<unknown>;
  await sql`drop table if exists notes`.execute(db);
  await test(db).finally(() => database.close());
}

/** Divides 12 by a number, after a pause. */
const divide = prepare((db, { by, pauseSeconds }: Placeholders<{ by: number; pauseSeconds: number }>) =>
  db.selectNoFrom([
    sql<number>`12 / ${by}::int`.as("quotient"),
    sql<number>`pg_backend_pid()`.as("connection"),
    sql`pg_sleep(${pauseSeconds}::float)`.as("paused"),
  ])
);
const selectNotes = prepare((db, { id }: Placeholders<{ id: number }>) =>
  (db as unknown as Kysely<{ notes: { id: number } }>).selectFrom("notes").selectAll().where("id", "=", id)
);

async function columnsOf(db: Kysely<unknown>, id: number): Promise<string[]> {
  const { rows } = await sql`select * from notes where id = ${id}`.execute(db);
  return Object.keys(rows[0] as object);
}

Deno.test("a statement still works after another instance has changed its table, in a transaction and outside", () =>
  withPool(async (db) => {
    await sql`create table notes (id int)`.execute(db);
    await sql`insert into notes values (1)`.execute(db);
    strictEqual((await columnsOf(db, 1)).length, 1);
    await sql`alter table notes add column text text`.execute(db);
    strictEqual((await columnsOf(db, 1)).length, 2);
    await columnsOf(db, 1); // plans it again, so that the transaction finds an outdated plan
    await sql`alter table notes add column author text`.execute(db);
    strictEqual((await db.transaction().execute((trx) => columnsOf(trx, 1))).length, 3);
  }));

Deno.test("a transaction that fails after, in or before its first statement changes nothing and frees its connection", () =>
  withPool(async (db) => {
    await sql`create table notes (id int primary key)`.execute(db);
    const add = (trx: Kysely<unknown>, id: number | string) => sql`insert into notes values (${id})`.execute(trx);
    const fail = () => {
      throw new Error("the work failed");
    };
    await rejects(db.transaction().execute((trx) => add(trx, 1).then(fail)), /the work failed/);
    await rejects(db.transaction().execute((trx) => add(trx, "one")), /invalid input syntax/);
    await rejects(db.transaction().execute((trx) => sql`select 1 / 0`.execute(trx)), /division by zero/);
    const readThenAdd = (trx: Kysely<unknown>) => sql`select * from notes`.execute(trx).then(() => add(trx, 2));
    await rejects(db.transaction().execute((trx) => readThenAdd(trx).then(fail)), /the work failed/);
    await rejects(db.transaction().execute(fail), /the work failed/);
    await db.transaction().execute(() => Promise.resolve());
    const { rows: notes } = await sql`select * from notes`.execute(db);
    deepStrictEqual(notes, []);
    const { rows: open } = await sql`select 1 from pg_stat_activity where state like 'idle in tran%'`.execute(db);
    deepStrictEqual(open, []);
  }));

Deno.test("prepared queries of one moment share a connection, and one that fails does not affect the others", () =>
  withPool(async (db) => {
    const queries = Array.from({ length: 40 }, (_, by) => divide(db as unknown as Db, { by, pauseSeconds: 0 }));
    const [first, ...outcomes] = await Promise.allSettled(queries);
    ok(first.status === "rejected" && first.reason.code === "22012", "division by zero");
    const rows = outcomes.map((outcome) => outcome.status === "fulfilled" ? outcome.value[0] : null);
    deepStrictEqual(rows.map((row) => row?.quotient), rows.map((_, index) => Math.floor(12 / (index + 1))));
    strictEqual(new Set(rows.map((row) => row?.connection)).size, 1);
  }));

Deno.test("a slow prepared query does not hold up later ones", () =>
  withPool(async (db) => {
    let isSlowDone = false;
    // The server ends it: a statement may take 1.8 seconds.
    const slow = rejects(divide(db as unknown as Db, { by: 1, pauseSeconds: 60 })).then(() => isSlowDone = true);
    await delay(100);
    await divide(db as unknown as Db, { by: 2, pauseSeconds: 0 });
    strictEqual(isSlowDone, false);
    await slow;
  }));

Deno.test("a prepared query still works after another instance has changed its table", () =>
  withPool(async (db) => {
    await sql`create table notes (id int)`.execute(db);
    await sql`insert into notes values (1)`.execute(db);
    const columns = async () => Object.keys((await selectNotes(db as unknown as Db, { id: 1 }))[0]);
    deepStrictEqual(await columns(), ["id"]);
    await sql`alter table notes add column text text`.execute(db);
    deepStrictEqual(await Promise.all([columns(), columns()]), [["id", "text"], ["id", "text"]]);
    // The first one learns the columns, the second one remembers them, and only the server knows of the new name.
    for (let time = 0; time < 2; time++) deepStrictEqual(await columns(), ["id", "text"]);
    await sql`alter table notes rename column text to body`.execute(db);
    for (let time = 0; time < 3; time++) deepStrictEqual(await columns(), ["id", "body"]);
  }));

Deno.test("waiting for a connection times out, and a connection that becomes free too late returns to the pool", () =>
  withPool(async (db) => {
    const release = Promise.withResolvers<void>();
    const taken = [1, 2].map(() => db.connection().execute(() => release.promise));
    await rejects(sql`select 1`.execute(db), /timeout exceeded/);
    release.resolve();
    await Promise.all(taken);
    await Promise.all([1, 2].map(() => sql`select 1`.execute(db)));
  }));

Deno.test("a server that accepts connections and never responds counts as unavailable", async () => {
  const silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const databaseUrl = `postgres://postgres@127.0.0.1:${silent.addr.port}/postgres`;
  let connections = 0;
  const counting = (async () => {
    for await (const _connection of silent) connections++;
  })();
  const database = await openDatabase({ databaseUrl, directory: "", connections: 2, log() {} });
  const queries = Array.from({ length: 12 }, () => sql`select 1`.execute(database.db));
  for (const outcome of await Promise.allSettled(queries)) {
    ok(outcome.status === "rejected" && isDatabaseUnavailable(outcome.reason), Deno.inspect(outcome));
  }
  // Two attempts to connect, and two more if the first two timed out before the other callers did.
  const givenUpAt = performance.now();
  while (performance.now() - givenUpAt < PATIENCE_MS) await delay(100);
  ok(connections <= 4, `connected ${connections} times, including for callers that had timed out`);
  await database.close();
  silent.close();
  await counting;
});

Deno.test("behind a pooler with a frozen server, waiting for a connection and for the response share one timeout", async () => {
  using pooler = startPooler();
  const database = await openDatabase({ databaseUrl: pooler.url, directory: "", connections: 2, log() {} });
  const query = async (run: () => Promise<unknown>) => {
    const startedAt = performance.now();
    const [outcome] = await Promise.allSettled([run()]);
    return { outcome, tookMs: performance.now() - startedAt };
  };
  const select = () => query(() => sql`select 1`.execute(database.db));
  const selectPrepared = () => query(() => divide(database.db, { by: 1, pauseSeconds: 0 }));
  const queries: ReturnType<typeof query>[] = [];
  for (let turn = 0; turn < 12; turn++) {
    queries.push(select(), selectPrepared(), selectPrepared());
    await delay(250);
  }
  for (const { outcome, tookMs } of await Promise.all(queries)) {
    ok(outcome.status === "rejected" && isDatabaseUnavailable(outcome.reason), Deno.inspect(outcome));
    ok(tookMs < PATIENCE_MS, `failed after ${tookMs} ms`);
  }
  pooler.answers = true;
  const healed = await Promise.all([select(), selectPrepared(), select()]);
  deepStrictEqual(healed.map(({ outcome }) => outcome.status), healed.map(() => "fulfilled"));
  await database.close();
});

/** Accepts every connection, and answers queries only if `answers` is true. */
function startPooler() {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const bytes = (...parts: (string | number[])[]) =>
    new Uint8Array(parts.flatMap((part) => typeof part === "string" ? [...new TextEncoder().encode(part)] : part));
  const ready = bytes("Z", [0, 0, 0, 5], "I");
  const pooler = {
    url: `postgres://postgres@127.0.0.1:${listener.addr.port}/postgres`,
    answers: false,
    [Symbol.dispose]: () => listener.close(),
  };
  const serve = async (client: Deno.TcpConn) => {
    const reader = client.readable.getReader();
    const writer = client.writable.getWriter();
    await reader.read(); // the startup message
    await writer.write(bytes("R", [0, 0, 0, 8], [0, 0, 0, 0]));
    await writer.write(ready);
    for (let message = await reader.read(); !message.done; message = await reader.read()) {
      if (!pooler.answers) continue;
      await writer.write(bytes("C", [0, 0, 0, 13], "SELECT 0", [0]));
      await writer.write(ready);
    }
  };
  void (async () => {
    for await (const client of listener) void serve(client).catch(() => {}); // the client has timed out
  })();
  return pooler;
}

Deno.test("a role with fewer connections than the pool serves every query", async () => {
  const owner = await openDatabase({ databaseUrl: cluster.url, directory: "", connections: 1, log() {} });
  await sql`create role few login connection limit 2`.execute(owner.db);
  const url = new URL(cluster.url);
  url.username = "few";
  const warnings: string[] = [];
  const log = (_level: string, message: string) => void warnings.push(message);
  const few = await openDatabase({ databaseUrl: url.href, directory: "", connections: 10, log });
  try {
    const sleeps = Array.from({ length: 20 }, () => sql`select pg_sleep(0.05)`.execute(few.db));
    deepStrictEqual((await Promise.allSettled(sleeps)).filter(({ status }) => status === "rejected"), []);
    deepStrictEqual(warnings, ["the database allows fewer connections than the service would open"]);
  } finally {
    await few.close();
    await sql`drop role few`.execute(owner.db);
    await owner.close();
  }
});
