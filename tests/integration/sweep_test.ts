import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { DAY_SECONDS } from "../../lib/duration.ts";
import { sweepExpiredRows } from "../../lib/sweep/expired_rows.ts";
import { registerUser, registerVerifiedUser } from "../support/accounts.ts";
import { openSharedTestApp } from "../support/test_app.ts";

const app = await openSharedTestApp();
const { db } = app.services;
const TABLES = [
  "sessions",
  "email_verification_tokens",
  "password_reset_tokens",
  "login_attempts",
  "submissions",
  "outbox",
] as const;

async function counts() {
  const rows = await Promise.all(TABLES.map((table) => db.selectFrom(table).selectAll().execute()));
  return Object.fromEntries(TABLES.map((table, index) => [table, rows[index].length]));
}

Deno.test("what has expired is deleted, and nothing else", async () => {
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

  app.advance(8 * DAY_SECONDS);
  await registerUser(app, "new@example.com");
  await sweepExpiredRows(app.services);
  deepStrictEqual(await counts(), {
    sessions: 1,
    email_verification_tokens: 1,
    password_reset_tokens: 0,
    login_attempts: 0,
    submissions: 0,
    outbox: 3,
  });
  await app.deliverMails();
  app.advance(30 * DAY_SECONDS);
  await sweepExpiredRows(app.services);
  strictEqual((await counts()).outbox, 0);
});

Deno.test("many instances may sweep at once", async () => {
  await Promise.all(Array.from({ length: 8 }, () => sweepExpiredRows(app.services)));
});
