import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { sql } from "kysely";
import { inEqualTime } from "../../lib/accounts/equal_time.ts";
import { HOUR_SECONDS } from "../../lib/duration.ts";
import { logIn, mailedToken, PASSWORD, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { deliverDueMails } from "../support/mail/deliver_due_mails.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp();
const NEW_PASSWORD = "Another-horse-8";

function forgot(email: string) {
  return app.client().send("POST", "/auth/forgot-password", { email });
}

function reset(email: string, token: string, password = NEW_PASSWORD) {
  return app.client().send("POST", "/auth/reset-password", { email, token, password });
}

async function resetToken(email: string): Promise<string> {
  strictEqual((await forgot(email)).status, 200);
  return await mailedToken(app, email);
}

const mailsTo = (email: string) =>
  app.mails.filter(({ to, subject }) => to === email && /password/.test(subject)).length;

Deno.test("the emailed link sets the password once and ends every session", async () => {
  const { client, email } = await registerVerifiedUser(app, "forgetful@example.com");
  await client.send("PUT", "/api/profile", { bio: "Mine" });
  const token = await resetToken(email);
  const response = await reset(email, token);
  strictEqual(response.status, 200);
  deepStrictEqual(await response.json(), { success: true, message: "Password updated. You are logged in." });

  strictEqual((await client.get("/api/profile")).status, 401);
  strictEqual((await logIn(app.client(), email, PASSWORD)).status, 401);
  strictEqual((await logIn(client, email, NEW_PASSWORD)).status, 200);
  const { user } = await (await client.get("/api/profile")).json();
  strictEqual(user.bio, "Mine");

  const again = await reset(email, token, "Third-horse-99");
  strictEqual(again.status, 400);
  const body = await again.json();
  deepStrictEqual([body.code, body.error], ["INVALID_TOKEN", body.message]);
});

Deno.test("known and unknown addresses get the same response", async () => {
  const { email } = await registerUser(app, "known@example.com");
  const responses = [await forgot(email), await forgot("nobody@example.com")];
  const [known, unknown] = await Promise.all(responses.map(async (each) => [each.status, await each.text()]));
  deepStrictEqual([known[0], known], [200, unknown]);
});

Deno.test("requests for one address run one after another, with or without an account", async () => {
  let running = 0;
  const most: number[] = [];
  const request = () =>
    inEqualTime(app.services, "nobody@example.com", async (trx) => {
      most.push(++running);
      await sql`select pg_sleep(0.02)`.execute(trx);
      running--;
    });
  await Promise.all([request(), request(), request()]);
  deepStrictEqual(most, [1, 1, 1]);
});

Deno.test("a wrong, used or expired link is refused before the password is hashed", async () => {
  const { email } = await registerVerifiedUser(app, "guessed@example.com");
  const used = await resetToken(email);
  strictEqual((await reset(email, used)).status, 200);
  const expired = await resetToken(email);
  app.advance(HOUR_SECONDS);
  const { config } = app.services;
  const { pbkdf2Iterations } = config;
  try {
    config.pbkdf2Iterations = 0; // makes a hash fail
    for (const token of ["wrong", used, expired]) strictEqual((await reset(email, token)).status, 400, token);
  } finally {
    config.pbkdf2Iterations = pbkdf2Iterations;
  }
});

Deno.test("a link works for an hour, and only for its own address", async () => {
  const { email } = await registerVerifiedUser(app, "hour@example.com");
  const other = await registerVerifiedUser(app, "minute@example.com");
  const token = await resetToken(email);
  strictEqual((await reset(other.email, token)).status, 400);
  strictEqual((await reset("nobody@example.com", token)).status, 400);
  app.advance(HOUR_SECONDS - 1);
  strictEqual((await reset(email, token)).status, 200);

  const late = await resetToken(other.email);
  app.advance(HOUR_SECONDS);
  strictEqual((await reset(other.email, late)).status, 400);
  strictEqual((await logIn(app.client(), other.email, PASSWORD)).status, 200);
});

Deno.test("a new link voids the earlier one and cancels its queued email", async () => {
  const { email } = await registerVerifiedUser(app, "twice@example.com");
  const other = await registerVerifiedUser(app, "once@example.com");
  const others = await resetToken(other.email);
  const first = await resetToken(email);
  await forgot(email);
  const third = await resetToken(email);
  strictEqual(mailsTo(email), 2);
  strictEqual((await reset(other.email, others)).status, 200);
  strictEqual((await reset(email, first)).status, 400);
  strictEqual((await reset(email, third)).status, 200);
});

Deno.test("a new link cancels and wipes only queued emails that set a password", async () => {
  const { id, email } = await registerUser(app, "kinds@example.com");
  const mails = async () => {
    const rows = await app.services.db.selectFrom("outbox").selectAll().where("user_id", "=", id).execute();
    return rows.map(({ kind, status, payload }) => `${kind} ${status} ${payload === null ? "wiped" : "kept"}`).sort();
  };
  await forgot(email);
  await forgot(email);
  deepStrictEqual(await mails(), ["reset failed wiped", "reset pending kept", "verification pending kept"]);
  await app.deliverMails();
  await forgot(email);
  deepStrictEqual(await mails(), [
    "reset failed wiped",
    "reset pending kept",
    "reset sent wiped",
    "verification sent wiped",
  ]);
});

Deno.test("an email whose delivery seemed to fail is not retried once its link is used", async () => {
  const { email } = await registerVerifiedUser(app, "arrived@example.com");
  const { mail } = app.services;
  const send = async (...sent: Parameters<typeof mail.send>) => {
    await mail.send(...sent);
    throw new Error("The connection broke");
  };
  await forgot(email);
  await deliverDueMails({ ...app.services, mail: { send } });
  strictEqual((await reset(email, await mailedToken(app, email))).status, 200);
  app.advance(HOUR_SECONDS / 2);
  await app.deliverMails();
  strictEqual(mailsTo(email), 1);
});

Deno.test("at most three emails an hour are sent, and the last link stays valid", async () => {
  const { email } = await registerVerifiedUser(app, "eager@example.com");
  for (let i = 0; i < 3; i++) await resetToken(email);
  const last = await mailedToken(app, email);
  strictEqual((await forgot(email)).status, 200);
  await app.deliverMails();
  strictEqual(mailsTo(email), 3);
  strictEqual((await reset(email, last)).status, 200);

  app.advance(HOUR_SECONDS);
  await resetToken(email);
  strictEqual(mailsTo(email), 4);
});

Deno.test("of fifty concurrent uses of one link, exactly one succeeds", async () => {
  using _costs = app.useRealCosts();
  const { email } = await registerVerifiedUser(app, "raced@example.com");
  const token = await resetToken(email);
  const uses = Array.from({ length: 50 }, (_, i) => reset(email, token, `Racing-horse-${i}`));
  const statuses = (await Promise.all(uses)).map(({ status }) => status);
  deepStrictEqual(statuses.toSorted(), [200, ...Array(49).fill(400)]);
  strictEqual((await logIn(app.client(), email, `Racing-horse-${statuses.indexOf(200)}`)).status, 200);
});

Deno.test("concurrent resets and requests for new links neither fail nor deadlock", async () => {
  using _costs = app.useRealCosts();
  const { email } = await registerVerifiedUser(app, "busy@example.com");
  for (let round = 0; round < 3; round++) {
    app.advance(HOUR_SECONDS);
    const token = await resetToken(email);
    const responses = await Promise.all([reset(email, token), forgot(email), reset(email, token), forgot(email)]);
    ok(responses.every(({ status }) => status === 200 || status === 400));
  }
});

Deno.test("a password that breaks the rules does not use up the link", async () => {
  const { email } = await registerVerifiedUser(app, "weak@example.com");
  const token = await resetToken(email);
  const response = await reset(email, token, "short");
  strictEqual(response.status, 400);
  deepStrictEqual(Object.keys((await response.json()).details), ["password"]);
  strictEqual((await reset(email, token)).status, 200);
});

Deno.test("a reset gives a password to an account that has none", async () => {
  const { id, email } = await registerVerifiedUser(app, "passwordless@example.com");
  await app.services.db.updateTable("users").set({ password_hash: null, provider: "idp" }).where("id", "=", id)
    .execute();
  strictEqual((await logIn(app.client(), email, PASSWORD)).status, 401);
  strictEqual((await reset(email, await resetToken(email))).status, 200);
  strictEqual((await logIn(app.client(), email, NEW_PASSWORD)).status, 200);
});

Deno.test("a reset of an unverified account verifies the address and clears the profile", async () => {
  const { client, id, email } = await registerUser(app, "squatted@example.com");
  const squatterToken = await mailedToken(app, email);
  const profile = {
    bio: "mine",
    location: "here",
    website: "https://evil.example/",
    avatar: "https://evil.example/a.png",
  };
  strictEqual((await client.send("PUT", "/api/profile", profile)).status, 200);

  strictEqual((await reset(email, await resetToken(email))).status, 200);
  const { data } = await (await app.client().get(`/api/users/${id}`)).json();
  deepStrictEqual([data.name, data.bio, data.location, data.website, data.avatar], ["New user", "", "", "", null]);
  strictEqual((await client.get("/api/profile")).status, 401);
  strictEqual((await logIn(app.client(), email, PASSWORD)).status, 401);
  strictEqual((await logIn(app.client(), email, NEW_PASSWORD)).status, 200);
  const used = await app.client().send("POST", "/auth/verify-email", { email, token: squatterToken, reject: true });
  strictEqual(used.status, 400);
});
