import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { sql } from "kysely";
import { startWorker } from "../../lib/jobs/background_worker.ts";
import { DAY_SECONDS, HOUR_SECONDS, secondsAfter } from "../../lib/duration.ts";
import { BATCH_ROWS, sweepExpiredRows } from "../../lib/jobs/expired_rows.ts";
import { issueCode } from "../../lib/mail/links/emailed_code.ts";
import { SECOND_STEP_SECONDS } from "../../lib/access/second_step.ts";
import { logIn, mailedToken, type Registered, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { enableTotp, startLogin } from "../support/app/second_factor.ts";
import { openSharedTestApp, openTestApp } from "../support/app/test_app.ts";

/** Longer than browsers are recognized. */
const EVENTS_KEPT_DAYS = 401;
const app = await openSharedTestApp({ EVENTS_KEPT_DAYS: String(EVENTS_KEPT_DAYS) });
const { db } = app.services;
const TABLES = [
  "sessions",
  "email_verification_tokens",
  "password_reset_tokens",
  "email_change_tokens",
  "not_me_tokens",
  "emailed_codes",
  "rate_limits",
  "submissions",
  "outbox",
  "devices",
  "provider_attempts",
  "events",
] as const;
const SECOND_FACTOR_TABLES = ["second_step_challenges", "factor_reset_tokens", "factor_reset_stop_tokens"] as const;

async function counts() {
  const rows = await Promise.all(TABLES.map((table) => db.selectFrom(table).selectAll().execute()));
  return Object.fromEntries(TABLES.map((table, index) => [table, rows[index].length]));
}

Deno.test("only expired rows are deleted", async () => {
  const old = await registerVerifiedUser(app, "old@example.com");
  await old.client.send("POST", "/auth/forgot-password", { email: old.email });
  strictEqual((await old.client.send("POST", "/api/account/email", { email: "older@example.com" })).status, 200);
  await issueCode(db, { userId: old.id, purpose: "reauthentication" }, app.services);
  await logIn(app.client(), old.email, "Wrong-horse-77");
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
  const { email_verification_tokens, email_change_tokens, not_me_tokens } = await counts();
  deepStrictEqual([email_verification_tokens, email_change_tokens, not_me_tokens], [1, 1, 1]);

  app.advance(7 * DAY_SECONDS);
  await registerUser(app, "new@example.com");
  await sweepExpiredRows(app.services);
  deepStrictEqual(await counts(), {
    sessions: 1,
    email_verification_tokens: 1,
    password_reset_tokens: 0,
    email_change_tokens: 0,
    not_me_tokens: 0,
    emailed_codes: 0,
    rate_limits: 0,
    submissions: 0,
    outbox: 5,
    devices: 2,
    provider_attempts: 0,
    events: 6,
  });
  await app.deliverMails();
  app.advance(30 * DAY_SECONDS);
  await sweepExpiredRows(app.services);
  strictEqual((await counts()).outbox, 0);

  app.advance(EVENTS_KEPT_DAYS * DAY_SECONDS - 37.5 * DAY_SECONDS);
  await sweepExpiredRows(app.services);
  deepStrictEqual([(await counts()).devices, (await counts()).events], [1, 2], "those of the new user");
});

Deno.test("logins that waited for a code and links about lost factors are deleted after they have expired", async () => {
  const { client, email } = await registerVerifiedUser(app, "factor@example.com");
  await enableTotp(app, client);
  const guest = await startLogin(app, email);
  await guest.submit("/second-factor", { action: "lost" });
  await app.client().submit("/factor-reset", { token: await mailedToken(app, email) });
  const left = async () => {
    const rows = SECOND_FACTOR_TABLES.map((table) => db.selectFrom(table).select("id").execute());
    return (await Promise.all(rows)).map(({ length }) => length);
  };
  app.advance(SECOND_STEP_SECONDS - 1);
  await sweepExpiredRows(app.services);
  deepStrictEqual(await left(), [1, 1, 1]);
  app.advance(1);
  await sweepExpiredRows(app.services);
  deepStrictEqual(await left(), [0, 1, 1]);
  app.advance(2 * HOUR_SECONDS);
  await sweepExpiredRows(app.services);
  deepStrictEqual(await left(), [0, 0, 1]);
  app.advance(3 * DAY_SECONDS);
  await sweepExpiredRows(app.services);
  deepStrictEqual(await left(), [0, 0, 0]);
});

Deno.test("a secret that no code confirms is deleted a day after it stopped working, and one in use is kept", async () => {
  const users: Registered[] = [];
  for (const email of ["unconfirmed@example.com", "confirmed@example.com"]) {
    users.push(await registerVerifiedUser(app, email));
  }
  await enableTotp(app, users[1].client);
  for (const { client } of users) strictEqual((await client.send("POST", "/api/totp", {})).status, 200);
  const left = async () => {
    const rows = await db.selectFrom("totp_secrets").select("user_id").where("user_id", "in", users.map(({ id }) => id))
      .execute();
    return rows.map(({ user_id }) => user_id).sort();
  };
  app.advance(HOUR_SECONDS + DAY_SECONDS - 1);
  await sweepExpiredRows(app.services);
  deepStrictEqual(await left(), users.map(({ id }) => id).sort());
  app.advance(1);
  await sweepExpiredRows(app.services);
  deepStrictEqual(await left(), [users[1].id]);
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

Deno.test("the rows that expired first are deleted first", async () => {
  const now = app.services.now();
  await sql`
    insert into submissions (id, expires_at)
    select i, ${now}::timestamptz - i * interval '1 second' from generate_series(1, ${BATCH_ROWS + 1}::int) i
  `.execute(db);
  await sweepExpiredRows(app.services);
  deepStrictEqual(await db.selectFrom("submissions").select("id").execute(), [{ id: "1" }]);
  await sweepExpiredRows(app.services);
});

/** The conditions of indexes that the sweep uses. Its statements state them, or they follow from a comparison. */
const CONDITIONS = ["(enabled_at IS NULL)", "(code_spent_at IS NULL)", "(expires_at IS NOT NULL)"];

Deno.test("the sweep finds the rows of each table through an index", async () => {
  const { rows } = await sql<{ name: string }>`
    select class.relname || '.' || first.attname as name from pg_index index
    join pg_class class on class.oid = index.indrelid
    join pg_attribute first on first.attrelid = class.oid and first.attnum = index.indkey[0]
    where index.indpred is null or pg_get_expr(index.indpred, index.indrelid) = any(${CONDITIONS})
  `.execute(db);
  const indexed = new Set(rows.map(({ name }) => name));
  const swept = await sweptColumns();
  deepStrictEqual(TABLES.filter((table) => !swept.some((name) => name.startsWith(`${table}.`))), []);
  // There are only a few keys at a time.
  deepStrictEqual(swept.filter((name) => !indexed.has(name)), ["signing_keys.expires_at"]);
});

/** The columns by which the sweep finds the rows that it deletes or empties, as `table.column`. */
async function sweptColumns(): Promise<string[]> {
  const watched = db.withoutPlugins(); // has its own executor
  const executor = watched.getExecutor();
  const execute = executor.executeQuery.bind(executor);
  const names: string[] = [];
  executor.executeQuery = (query) => {
    const [, table, column] = /^\s*(?:with gone as \(\s*)?(?:delete from|update) "?(\w+)"? .*? "?(\w+)"? <= /s.exec(
      query.sql,
    )!;
    names.push(`${table}.${column}`);
    return execute(query);
  };
  await sweepExpiredRows({ ...app.services, db: watched });
  return names;
}

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

Deno.test("events lose their client address after ADDRESSES_KEPT_DAYS, and nothing else", async () => {
  await using app = await openTestApp({ ADDRESSES_KEPT_DAYS: "2" });
  const { db } = app.services;
  await registerUser(app, "traced@example.com");
  const events = () => db.selectFrom("events").selectAll().orderBy("id").execute();
  const before = await events();
  ok(before.every(({ client_address }) => client_address !== null));
  app.advance(2 * DAY_SECONDS - 1);
  await sweepExpiredRows(app.services);
  deepStrictEqual(await events(), before);
  app.advance(1);
  const config = { ...app.services.config, addressesKeptSeconds: 0 };
  await sweepExpiredRows({ ...app.services, config });
  deepStrictEqual(await events(), before, "0 keeps them");
  await sweepExpiredRows(app.services);
  deepStrictEqual(await events(), before.map((event) => ({ ...event, client_address: null })));
});

Deno.test("a full batch of emptied addresses counts, because more may be left", async () => {
  const { services } = app;
  await db.deleteFrom("events").execute();
  await sql`insert into events (id, kind, client_address, created_at)
    select 'old' || i, 'user.updated', '192.0.2.1', ${secondsAfter(services.now(), -91 * DAY_SECONDS)}::timestamptz
    from generate_series(1, ${BATCH_ROWS + 1}) i`.execute(db);
  strictEqual(await sweepExpiredRows(services), BATCH_ROWS);
  strictEqual(await sweepExpiredRows(services), 0);
  deepStrictEqual(await db.selectFrom("events").select("id").where("client_address", "is not", null).execute(), []);
});
