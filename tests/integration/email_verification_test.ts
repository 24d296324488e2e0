import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { DAY_SECONDS, HOUR_SECONDS } from "../../lib/duration.ts";
import { logIn, mailedToken, mailsTo, PASSWORD, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import { html, submit } from "../support/app/page_forms.ts";
import { readPage } from "../support/app/page_reader.ts";
import type { TestClient } from "../support/app/test_client.ts";

const app = await openSharedTestApp();

async function isVerified(id: string): Promise<boolean> {
  const row = await app.services.db.selectFrom("users").select("email_verified").where("id", "=", id)
    .executeTakeFirstOrThrow();
  return row.email_verified;
}

Deno.test("an emailed token verifies the address once", async () => {
  const { client, id, email } = await registerUser(app, "once@example.com");
  const token = await mailedToken(app, email);

  const first = await client.send("POST", "/auth/verify-email", { email, token });
  strictEqual(first.status, 200);
  deepStrictEqual(await first.json(), { success: true, message: "Email verified. You can log in now." });
  ok(await isVerified(id));

  const second = await client.send("POST", "/auth/verify-email", { email, token });
  strictEqual(second.status, 400);
  strictEqual((await second.json()).code, "INVALID_TOKEN");
});

Deno.test("a token verifies only its own address, and expires after a day", async () => {
  const mine = await registerUser(app, "mine@example.com");
  const other = await registerUser(app, "other@example.com");
  const token = await mailedToken(app, mine.email);

  strictEqual((await app.client().send("POST", "/auth/verify-email", { email: other.email, token })).status, 400);
  strictEqual((await app.client().send("POST", "/auth/verify-email", { email: mine.email, token: "x" })).status, 400);
  ok(!await isVerified(mine.id));
  ok(!await isVerified(other.id));

  app.advance(DAY_SECONDS - 1);
  strictEqual((await app.client().send("POST", "/auth/verify-email", { email: mine.email, token })).status, 200);
  const late = await mailedToken(app, other.email);
  app.advance(1);
  strictEqual(
    (await app.client().send("POST", "/auth/verify-email", { email: other.email, token: late })).status,
    400,
  );
  ok(!await isVerified(other.id));
});

Deno.test("of many concurrent uses of one token, exactly one succeeds", async () => {
  const { email } = await registerUser(app, "race@example.com");
  const token = await mailedToken(app, email);
  const uses = Array.from({ length: 20 }, () => app.client().send("POST", "/auth/verify-email", { email, token }));
  const statuses = (await Promise.all(uses)).map((response) => response.status).sort();
  deepStrictEqual(statuses, [200, ...Array(19).fill(400)]);
});

Deno.test("verifying ends every session of the account except the current one", async () => {
  const squatter = await registerUser(app, "squatted@example.com");
  const token = await mailedToken(app, squatter.email);
  const owner = app.client();
  strictEqual((await owner.send("POST", "/auth/verify-email", { email: squatter.email, token })).status, 200);
  strictEqual((await squatter.client.get("/api/profile")).status, 401);

  const asker = await registerUser(app, "asker@example.com");
  const own = await mailedToken(app, asker.email);
  strictEqual((await asker.client.send("POST", "/auth/verify-email", { email: asker.email, token: own })).status, 200);
  strictEqual((await asker.client.get("/api/profile")).status, 200);
});

Deno.test("rejecting an account cancels its queued emails", async () => {
  const { email } = await registerUser(app, "rejected@example.com");
  const token = await mailedToken(app, email);
  const sent = app.mails.length;
  for (const path of ["/auth/resend-verification", "/auth/forgot-password"]) {
    strictEqual((await app.client().send("POST", path, { email })).status, 200);
  }
  strictEqual((await app.client().send("POST", "/auth/verify-email", { email, token, reject: true })).status, 200);
  await app.deliverMails();
  strictEqual(app.mails.length, sent);
  const { db } = app.services;
  deepStrictEqual(await db.selectFrom("outbox").select("id").where("payload", "is not", null).execute(), []);
});

Deno.test("the owner of an address can reject the account, which is deleted with all its data", async () => {
  const { client, id, email } = await registerUser(app, "disowned@example.com");
  const token = await mailedToken(app, email);
  const post = { title: "Mine", content: "", author_id: id, created_at: app.services.now() };
  await app.services.db.insertInto("posts").values(post).execute();
  const response = await app.client().send("POST", "/auth/verify-email", { email, token, reject: true });
  strictEqual(response.status, 200);
  strictEqual((await app.client().get(`/api/users/${id}`)).status, 404);
  strictEqual((await client.get("/api/profile")).status, 401);
  strictEqual((await logIn(app.client(), email)).status, 401);
});

Deno.test("a link cannot delete an account whose address was verified in another way", async () => {
  const { id, email } = await registerUser(app, "settled@example.com");
  const token = await mailedToken(app, email);
  await app.services.db.updateTable("users").set({ email_verified: true }).where("id", "=", id).execute();
  await app.client().send("POST", "/auth/verify-email", { email, token, reject: true });
  ok(await isVerified(id));
});

async function resend(email: string): Promise<string> {
  const response = await app.client().send("POST", "/auth/resend-verification", { email });
  strictEqual(response.status, 200);
  return await response.text();
}

const countMails = async (email: string) => (await mailsTo(app, email)).length;

Deno.test("an unverified account gets another link, and both work", async () => {
  for (const used of [0, 1]) {
    const { email } = await registerUser(app, `again-${used}@example.com`);
    const tokens = [await mailedToken(app, email)];
    await resend(` ${email.toUpperCase()}`);
    strictEqual(await countMails(email), 2);
    tokens.push(await mailedToken(app, email));
    const verified = await app.client().send("POST", "/auth/verify-email", { email, token: tokens[used] });
    strictEqual(verified.status, 200);
  }
});

Deno.test("the response does not reveal which accounts exist or are verified", async () => {
  const verified = await registerVerifiedUser(app, "verified@example.com");
  const unverified = await registerUser(app, "unverified@example.com");
  const answers = [await resend(verified.email), await resend(unverified.email), await resend("nobody@example.com")];
  deepStrictEqual(new Set(answers).size, 1);
  deepStrictEqual([await countMails(verified.email), await countMails("nobody@example.com")], [1, 0]);
});

Deno.test("at most three emails an hour are sent, including that of the registration", async () => {
  const { email } = await registerUser(app, "eager@example.com");
  await Promise.all(Array.from({ length: 10 }, () => resend(email)));
  strictEqual(await countMails(email), 3);
  const last = await mailedToken(app, email);
  app.advance(HOUR_SECONDS - 1);
  await resend(email);
  strictEqual(await countMails(email), 3);
  app.advance(1);
  await resend(email);
  strictEqual(await countMails(email), 4);
  strictEqual((await app.client().send("POST", "/auth/verify-email", { email, token: last })).status, 200);
});

Deno.test("pages send a confirmation only when their button is pressed, and claim to have done so only then", async () => {
  const { client, email } = await registerUser(app, "pressing@example.com");
  const sent = () => countMails(email);
  const arrive = async (visitor: TestClient, path: string) => {
    const page = await readPage(visitor.get(path));
    strictEqual(page.heading, "Confirm your email address");
    match(page.text, /We emailed a link to pressing@example\.com when you signed up\. Links work for 24 hours\./);
    doesNotMatch(page.html, /We’ve|Check your email/);
    return page.html;
  };
  const assertSent = async (visitor: TestClient) => {
    const page = await readPage(visitor.get(path));
    strictEqual(page.heading, "Check your email");
    match(page.text, /sent it a new link\./);
  };
  const dashboard = await html(client, "/dashboard");
  doesNotMatch(dashboard, /verify-email\?/);
  match(dashboard, /it works for 24 hours/);
  strictEqual(await sent(), 1);
  const resend = { email, action: "resend" };
  const path = `/verify-email?${new URLSearchParams({ email })}`;
  strictEqual(await submit(client, dashboard, resend), path);
  strictEqual(await sent(), 2);
  await assertSent(client);

  const visitor = app.client();
  const login = await visitor.submit("/login", { email, password: PASSWORD });
  strictEqual(login.headers.get("Location"), path);
  const page = await arrive(visitor, path);
  strictEqual(await sent(), 2, "to arrive there sends nothing");
  strictEqual(await submit(visitor, page, resend), path);
  await assertSent(visitor);
  strictEqual(await sent(), 3);

  strictEqual(await submit(visitor, page, resend), path);
  const exhausted = await arrive(app.client(), path);
  match(exhausted, /Email me a new link/);
  match(await html(visitor, path), /We send only a few of these emails an hour\./);
  strictEqual(await sent(), 3);
});
