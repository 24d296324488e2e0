import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { sql } from "kysely";
import { startWorker } from "../../lib/operations/background_worker.ts";
import { DAY_SECONDS, HOUR_SECONDS } from "../../lib/duration.ts";
import { BATCH_ROWS, sweepExpiredRows } from "../../lib/operations/expired_rows.ts";
import { registerUser, registerVerifiedUser } from "../support/accounts.ts";
import { openSharedTestApp } from "../support/test_app.ts";

const app = await openSharedTestApp();
const { db } = app.services;
const TABLES = [
  "sessions",
  "email_verification_tokens",
  "password_reset_tokens",
  "rate_limits",
  "submissions",
  "outbox",
] as const;

async function counts() {
  const rows = await Promise.all(TABLES.map((table) => db.selectFrom(table).selectAll().execute()));
  return Object.fromEntries(TABLES.map((table, index) => [table, rows[index].length]));
}

Deno.test("only expired rows are deleted", async () => {
  const old = await registerVerifiedUser(app, "old@example.com");
  await old.client.send("POST", "/auth/forgot-password", { email: old.email });
  await app.client().send("POST", "/auth/login", { email: old.email, password: "Wrong-horse-77" });
  const form_id = crypto.randomUUID();
  await app.client().submit("/forgot-password", { email: "nobody@example.com", form_id });
  await app.deliverMails();
  const before = await counts();
  strictEqual(before.submissions, 1);
  await sweepExpiredRows(app.services);
  deepStrictEqual(await counts(), before);

  app.advance(1.5 * HOUR_SECONDS);
  await sweepExpiredRows(app.services);
  strictEqual((await counts()).password_reset_tokens, 1, "tokens are kept for an hour after they expire");
  app.advance(23 * HOUR_SECONDS);
  await sweepExpiredRows(app.services);
  strictEqual((await counts()).email_verification_tokens, 1);

  app.advance(7 * DAY_SECONDS);
  await registerUser(app, "new@example.com");
  await sweepExpiredRows(app.services);
  deepStrictEqual(await counts(), {
    sessions: 1,
    email_verification_tokens: 1,
    password_reset_tokens: 0,
    rate_limits: 0,
    submissions: 0,
    outbox: 3,
  });
  await app.deliverMails();
  app.advance(30 * DAY_SECONDS);
  await sweepExpiredRows(app.services);
  strictEqual((await counts()).outbox, 0);
});

Deno.test("many expired rows are deleted in batches without a pause", async () => {
  await fill(2 * BATCH_ROWS + 1);
  const swept: number[] = [];
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  const worker = startWorker(async () => {
    const count = await sweepExpiredRows(app.services);
    swept.push(count);
    if (count === 0) finish();
    return count;
  }, { name: "sweep", pauseSeconds: 600, log: app.services.log });
  await finished;
  await worker.stop();
  deepStrictEqual(swept, [2 * BATCH_ROWS, 2 * BATCH_ROWS, 0]);
  const { submissions, rate_limits } = await counts();
  deepStrictEqual([submissions, rate_limits], [0, 0]);
});

Deno.test("concurrent sweeps delete all expired rows", async () => {
  await fill(3 * BATCH_ROWS);
  await Promise.all(Array.from({ length: 8 }, () => sweepExpiredRows(app.services)));
  const { submissions, rate_limits } = await counts();
  deepStrictEqual([submissions, rate_limits], [0, 0]);
});

/** Fills both tables that strangers can grow without limit. */
async function fill(rows: number) {
  const end = app.services.now();
  await sql`insert into submissions (id, expires_at) select i, ${end} from generate_series(1, ${rows}) i`.execute(db);
  await sql`
    insert into rate_limits (policy, client, requests, window_ends_at)
    select 'login', i, 1, ${end} from generate_series(1, ${rows}) i
  `.execute(db);
}
