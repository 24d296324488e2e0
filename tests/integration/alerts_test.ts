import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { sendAlert } from "../../lib/mail/links/alert.ts";
import { DAY_SECONDS } from "../../lib/duration.ts";
import { mailedPath, PASSWORD, registerUser, registerVerifiedUser, subjectsTo } from "../support/app/accounts.ts";
import { type CreatedToken, createToken } from "../support/app/api_tokens.ts";
import { enableTotp } from "../support/app/second_factor.ts";
import { SOME_CLIENT } from "../support/app/some_client.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0" });
const FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0";
const NEW_LOGIN = "New login to your Foyer account";
const NEW_TOKEN = "New API token for your Foyer account";

async function logIn(email: string, client: TestClient = app.client()): Promise<TestClient> {
  const headers = { "User-Agent": FIREFOX };
  strictEqual((await client.send("POST", "/auth/login", { email, password: PASSWORD }, headers)).status, 200);
  return client;
}

async function countNewLogins(email: string): Promise<number> {
  return (await subjectsTo(app, email)).filter((subject) => subject === NEW_LOGIN).length;
}

Deno.test("a login on a new device is reported, with the time, the device and a link", async () => {
  const { email } = await registerVerifiedUser(app, "alerted@example.com");
  strictEqual(await countNewLogins(email), 0, "the registration");
  const client = await logIn(email);
  strictEqual(await countNewLogins(email), 1);
  const { text } = app.mails.findLast(({ to }) => to === email)!;
  match(text, /^Was it you\? Then there’s nothing to do\.\n\nSomeone logged in on a new device\.\n\n/);
  match(
    text,
    /\nAccount: alerted@example\.com\nWhen: March 1, 2026 at 12:00 PM UTC\nDevice: Firefox on Windows\nMethod: Password\n/,
  );
  match(text, /Password\n\nThis wasn’t me:\nhttp:\/\/foyer\.test\/not-me\?token=[\w-]{43}\n/);
  match(text, /expires after 7 days/);

  await logIn(email, client);
  strictEqual(await countNewLogins(email), 1, "a known device");
});

Deno.test("the first sign-in of an account is not reported", async () => {
  const { client: inviter } = await registerVerifiedUser(app, "inviter@example.com");
  const email = "invited@example.com";
  strictEqual((await inviter.send("POST", "/api/users", { name: "Ada", email })).status, 201);
  const token = new URLSearchParams((await mailedPath(app, email)).split("?")[1]).get("token");
  strictEqual(
    (await app.client().send("POST", "/auth/reset-password", { email, token, password: PASSWORD })).status,
    200,
  );
  strictEqual(await countNewLogins(email), 0);
  await logIn(email);
  strictEqual(await countNewLogins(email), 1);
});

Deno.test("the reset by an owner whose account a stranger registered is not reported", async () => {
  const { email } = await registerUser(app, "squatted@example.com");
  await subjectsTo(app, email); // delivers the first email before the next one
  await app.client().send("POST", "/auth/forgot-password", { email });
  const token = new URLSearchParams((await mailedPath(app, email)).split("?")[1]).get("token");
  await app.client().send("POST", "/auth/reset-password", { email, token, password: PASSWORD });
  strictEqual(await countNewLogins(email), 0);
  await logIn(email);
  strictEqual(await countNewLogins(email), 1, "a second device");
});

Deno.test("at most five new devices a day are reported, and one sums up the rest, also when they come at once", async () => {
  using _costs = app.useRealCosts();
  const { email } = await registerVerifiedUser(app, "crowded@example.com");
  await Promise.all(Array.from({ length: 8 }, () => logIn(email)));
  strictEqual(await countNewLogins(email), 6);
  app.advance(DAY_SECONDS - 1);
  await logIn(email);
  strictEqual(await countNewLogins(email), 6);
  app.advance(1);
  await logIn(email);
  strictEqual(await countNewLogins(email), 7);
});

Deno.test("the sixth alert of a kind says that it is the day's last, and its link takes the account back", async () => {
  const { client, email } = await registerVerifiedUser(app, "busy@example.com");
  const tokens: CreatedToken[] = [];
  for (let i = 0; i < 8; i++) {
    tokens.push(await createToken(client, { name: `Token ${i}` }));
    app.advance(1);
  }
  const alerts = async () => {
    await subjectsTo(app, email);
    return app.mails.filter(({ to, subject }) => to === email && subject === NEW_TOKEN);
  };
  const sent = await alerts();
  const last = sent.filter(({ text }) => / this is the last one until March \d, 2026 at 12:00 PM UTC, /.test(text));
  deepStrictEqual([sent.length, last.length], [6, 1]);

  const token = last[0].text.match(/token=([\w-]{43})/)![1];
  strictEqual((await app.client().send("POST", "/auth/not-me", { token })).status, 200);
  for (const { headers } of tokens) strictEqual((await app.client().get("/api/profile", headers)).status, 401);

  const path = await mailedPath(app, email);
  const reset = { email, token: new URLSearchParams(path.split("?")[1]).get("token"), password: PASSWORD };
  strictEqual((await app.client().send("POST", "/auth/reset-password", reset)).status, 200);
  await createToken(await logIn(email));
  strictEqual((await alerts()).length, 7, "the owner has secured the account, so alerts start again");
});

Deno.test("new recovery codes are reported, and removed by the link in the alert", async () => {
  const { client, email, id } = await registerVerifiedUser(app, "recovers@example.com");
  await enableTotp(app, client);
  app.advance(1);
  strictEqual((await client.request("/api/totp/recovery-codes", { method: "POST" })).status, 200);
  strictEqual((await subjectsTo(app, email)).at(-1), "New recovery codes for your Foyer account");
  const token = new URLSearchParams((await mailedPath(app, email)).split("?")[1]).get("token");
  strictEqual((await app.client().send("POST", "/auth/not-me", { token })).status, 200);
  const codes = await app.services.db.selectFrom("recovery_codes").selectAll().where("user_id", "=", id).execute();
  deepStrictEqual(codes, []);
});

Deno.test("an alert is queued in the transaction of its act, and never to an unverified address", async () => {
  const { services } = app;
  const verified = await registerVerifiedUser(app, "owner@example.com");
  const unverified = await registerUser(app, "stranger@example.com");
  const alert = (userId: string, fails = false) =>
    services.db.transaction().execute(async (trx) => {
      await sendAlert(trx, services, { kind: "password_changed", userId, client: SOME_CLIENT, now: services.now() });
      if (fails) throw new Error("rolled back");
    });
  const changed = async (email: string) =>
    (await subjectsTo(app, email)).filter((subject) => subject === "Your Foyer password was changed").length;
  await alert(verified.id, true).catch(() => {});
  strictEqual(await changed(verified.email), 0);
  await alert(verified.id);
  await alert(unverified.id);
  deepStrictEqual([await changed(verified.email), await changed(unverified.email)], [1, 0]);
});

Deno.test("a changed password is reported, and undone by the link in the alert", async () => {
  const { client, email } = await registerVerifiedUser(app, "changed@example.com");
  const body = { currentPassword: PASSWORD, newPassword: "Another-horse-8" };
  strictEqual((await client.send("PUT", "/api/account/password", body)).status, 200);
  strictEqual((await subjectsTo(app, email)).at(-1), "Your Foyer password was changed");
  const token = new URLSearchParams((await mailedPath(app, email)).split("?")[1]).get("token");
  strictEqual((await app.client().send("POST", "/auth/not-me", { token })).status, 200);
  strictEqual((await client.get("/api/profile")).status, 401);
  const login = { email, password: body.newPassword };
  strictEqual((await app.client().send("POST", "/auth/login", login)).status, 401);
});

Deno.test("the database stores only a hash of the link of an alert", async () => {
  const { email, id } = await registerVerifiedUser(app, "hashed@example.com");
  await logIn(email);
  const token = new URLSearchParams((await mailedPath(app, email)).split("?")[1]).get("token")!;
  const rows = await app.services.db.selectFrom("not_me_tokens").selectAll().where("user_id", "=", id).execute();
  strictEqual(rows.length, 1);
  ok(!JSON.stringify([rows, app.logLines]).includes(token));
});
