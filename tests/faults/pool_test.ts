import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { type Kysely, sql } from "kysely";
import { openDatabase } from "../../db/connection.ts";
import { isDatabaseUnavailable } from "../../db/database_errors.ts";
import { delay } from "../support/delay.ts";
import { startCluster } from "../support/postgres_cluster.ts";

const PATIENCE_MS = 3_000;

/** Gives the test an instance's own way to a database. */
async function withPool(test: (db: Kysely<unknown>) => Promise<void>): Promise<void> {
  await using cluster = await startCluster();
  const database = await openDatabase({ databaseUrl: cluster.url, directory: "", connections: 2, log() {} });
  await test(database.db as unknown as Kysely<unknown>).finally(() => database.close());
}

async function columnsOf(db: Kysely<unknown>, id: number): Promise<string[]> {
  const { rows } = await sql`select * from notes where id = ${id}`.execute(db);
  return Object.keys(rows[0] as object);
}

Deno.test("a statement outlives a change of its table by another instance, in a transaction and outside", () =>
  withPool(async (db) => {
    await sql`create table notes (id int)`.execute(db);
    await sql`insert into notes values (1)`.execute(db);
    strictEqual((await columnsOf(db, 1)).length, 1);
    await sql`alter table notes add column text text`.execute(db);
    strictEqual((await columnsOf(db, 1)).length, 2);
    await columnsOf(db, 1); // with a plan again, which the transaction will find outdated
    await sql`alter table notes add column author text`.execute(db);
    strictEqual((await db.transaction().execute((trx) => columnsOf(trx, 1))).length, 3);
  }));

Deno.test("who finds every connection taken is told so, and one that comes too late goes back", () =>
  withPool(async (db) => {
    const release = Promise.withResolvers<void>();
    const taken = [1, 2].map(() => db.connection().execute(() => release.promise));
    await rejects(sql`select 1`.execute(db), /timeout exceeded/);
    release.resolve();
    await Promise.all(taken);
    await Promise.all([1, 2].map(() => sql`select 1`.execute(db)));
  }));

Deno.test("a server that accepts and says nothing counts as unavailable, also for who opens the connection", async () => {
  const silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const databaseUrl = `postgres://postgres@127.0.0.1:${silent.addr.port}/postgres`;
  let visits = 0;
  const visiting = (async () => {
    for await (const _visitor of silent) visits++;
  })();
  const database = await openDatabase({ databaseUrl, directory: "", connections: 2, log() {} });
  const asked = Array.from({ length: 12 }, () => sql`select 1`.execute(database.db));
  for (const outcome of await Promise.allSettled(asked)) {
    ok(outcome.status === "rejected" && isDatabaseUnavailable(outcome.reason), Deno.inspect(outcome));
  }
  // Two connections were tried for, and two more if those were given up a moment before the others' patience ended.
  const givenUpAt = performance.now();
  while (performance.now() - givenUpAt < PATIENCE_MS) await delay(100);
  ok(visits <= 4, `connected ${visits} times, also for those who had given up`);
  await database.close();
  silent.close();
  await visiting;
});

Deno.test("a pooler before a server at a standstill: nobody waits for a connection and then as long for an answer", async () => {
  using pooler = startPooler();
  const database = await openDatabase({ databaseUrl: pooler.url, directory: "", connections: 2, log() {} });
  const ask = async () => {
    const startedAt = performance.now();
    const [outcome] = await Promise.allSettled([sql`select 1`.execute(database.db)]);
    return { outcome, tookMs: performance.now() - startedAt };
  };
  const asked: ReturnType<typeof ask>[] = [];
  for (let turn = 0; turn < 12; turn++) {
    asked.push(ask(), ask());
    await delay(250);
  }
  for (const { outcome, tookMs } of await Promise.all(asked)) {
    ok(outcome.status === "rejected" && isDatabaseUnavailable(outcome.reason), Deno.inspect(outcome));
    ok(tookMs < PATIENCE_MS, `told after ${tookMs} ms`);
  }
  pooler.answers = true;
  const healed = await Promise.all(Array.from({ length: 4 }, ask));
  deepStrictEqual(healed.map(({ outcome }) => outcome.status), healed.map(() => "fulfilled"));
  await database.close();
});

/** Lets everybody in, and answers questions only where told to. */
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
    await reader.read(); // who it is
    await writer.write(bytes("R", [0, 0, 0, 8], [0, 0, 0, 0]));
    await writer.write(ready);
    for (let message = await reader.read(); !message.done; message = await reader.read()) {
      if (!pooler.answers) continue;
      await writer.write(bytes("C", [0, 0, 0, 13], "SELECT 0", [0]));
      await writer.write(ready);
    }
  };
  void (async () => {
    for await (const client of listener) void serve(client).catch(() => {}); // whoever gave up
  })();
  return pooler;
}
