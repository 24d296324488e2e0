import { deepStrictEqual, ok, rejects } from "node:assert/strict";
import { sql } from "kysely";
import { runForClient } from "../../lib/turns/current_client.ts";
import { openDatabase } from "../connection.ts";

const MANY = 100;

const { db, connectionUse, close } = await openDatabase({ directory: "memory://", log() {} });
Deno.test.afterAll(close);
await sql`create table notes (text text)`.execute(db);

const query = () => sql`select count(*) from notes`.execute(db);
const write = () => db.transaction().execute((trx) => sql`insert into notes values ('a note')`.execute(trx));

Deno.test("a client with many queries and transactions holds up each query of another by at most two of them", async () => {
  let done = 0;
  const many = runForClient(
    ["greedy"],
    () => Array.from({ length: MANY }, (_, i) => (i % 2 ? query() : write()).then(() => done++)),
  );
  await runForClient(["patient"], async () => {
    for (let i = 0; i < 5; i++) await query();
    await write();
  });
  ok(done <= 2 * 6 + 1, `${done} came before`);
  await Promise.all(many);
});

Deno.test("the use of the connection is known", async () => {
  const [running, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = db.connection().execute(async () => {
    running.resolve();
    await ended.promise;
  });
  await running.promise;
  const waiting = [query(), query()];
  await new Promise((resolve) => setTimeout(resolve));
  deepStrictEqual(connectionUse(), { max: 1, used: 1, waiting: 2 });
  ended.resolve();
  await Promise.all([holding, ...waiting]);
  deepStrictEqual(connectionUse(), { max: 1, used: 0, waiting: 0 });
});

Deno.test("the queue for the connection does not keep the event loop from other work", async () => {
  let done = 0;
  let doneAtTimer: number | undefined;
  const many = Array.from({ length: MANY }, () => query().then(() => done++));
  setTimeout(() => doneAtTimer = done, 1);
  await Promise.all(many);
  ok(doneAtTimer !== undefined && doneAtTimer < MANY / 2, `${doneAtTimer} came before`);
});

/** Repeats a query until a timer has run, or a thousand times. Returns whether it has. */
async function letsTimerRun(query: () => Promise<unknown>): Promise<boolean> {
  let hasRun = false;
  setTimeout(() => hasRun = true, 1);
  for (let i = 0; i < MANY * 10 && !hasRun; i++) await query();
  return hasRun;
}

Deno.test("one query after another does not keep the event loop from other work", async () => {
  ok(await letsTimerRun(query));
});

Deno.test("neither does a transaction with many queries", async () => {
  ok(await db.transaction().execute((trx) => letsTimerRun(() => sql`select count(*) from notes`.execute(trx))));
});

Deno.test("no query of others runs inside a transaction, and a failed one frees the connection", async () => {
  const steps: string[] = [];
  const failing = db.transaction().execute(async (trx) => {
    for (const step of ["first", "second"]) {
      await sql`select 1`.execute(trx);
      steps.push(step);
    }
    await sql`select 1 / 0`.execute(trx);
  });
  const other = query().then(() => steps.push("other"));
  await rejects(failing, /division by zero/);
  await rejects(sql`select 1 / 0`.execute(db), /division by zero/);
  await other;
  deepStrictEqual(steps, ["first", "second", "other"]);
});
