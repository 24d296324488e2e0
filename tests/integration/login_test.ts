import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { hashPassword, iterationsOf } from "../../lib/crypto/password.ts";
import { logIn, mailedToken, PASSWORD, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp();

Deno.test("the right password opens a session", async () => {
  const { id, email } = await registerVerifiedUser(app, "ada@example.com");
  const client = app.client();
  const response = await logIn(client, " ADA@example.com");
  strictEqual(response.status, 200);
  deepStrictEqual(await response.json(), {
    success: true,
    message: "Login successful",
    user: { id, email, name: "Ada Lovelace", provider: "email" },
  });
  match(
    response.headers.getSetCookie()[0],
    /^auth_session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict$/,
  );
  strictEqual(response.headers.get("Cache-Control"), "no-store");
  strictEqual((await client.get("/api/profile")).status, 200);
});

Deno.test("a password matches whether its characters are composed or decomposed", async () => {
  const email = "composed@example.com";
  const [decomposed, composed] = ["Cafe\u0301-horse-7", "Caf\u00e9-horse-7"];
  const client = app.client();
  await client.send("POST", "/auth/register", { name: "Ada", email, password: decomposed });
  await client.send("POST", "/auth/verify-email", { email, token: await mailedToken(app, email) });
  for (const password of [decomposed, composed]) {
    strictEqual((await logIn(app.client(), email, password)).status, 200);
  }
});

Deno.test("an unknown address, a wrong password, no password and a damaged hash get the same response", async () => {
  await registerVerifiedUser(app, "wrong@example.com");
  for (
    const [email, passwordHash] of [["passwordless@example.com", null], ["damaged@example.com", "0:AAAA:BBBB"]] as const
  ) {
    await registerVerifiedUser(app, email);
    await app.services.db.updateTable("users").set({ password_hash: passwordHash }).where("email", "=", email)
      .execute();
  }
  for (const email of ["nobody@example.com", "wrong@example.com", "passwordless@example.com", "damaged@example.com"]) {
    const response = await logIn(app.client(), email, "Wrong-horse-77");
    strictEqual(response.status, 401, email);
    deepStrictEqual(await response.json(), {
      message: "Invalid email or password",
      error: "Invalid email or password",
      code: "INVALID_CREDENTIALS",
      details: {},
    });
    strictEqual(response.headers.get("Set-Cookie"), null);
  }
});

Deno.test("a login to an unverified account is refused as such only with the right password", async () => {
  const { email } = await registerUser(app, "unverified@example.com");
  const right = await logIn(app.client(), email);
  strictEqual(right.status, 403);
  strictEqual((await right.json()).code, "EMAIL_NOT_VERIFIED");
  strictEqual(right.headers.get("Set-Cookie"), null);
  strictEqual((await logIn(app.client(), email, "Wrong-horse-77")).status, 401);
});

Deno.test("a password that changes during a login opens no session for the old password", async () => {
  const { id, email } = await registerVerifiedUser(app, "raced@example.com");
  const { db } = app.services;
  const countSessions = async () =>
    (await db.selectFrom("sessions").select("id").where("user_id", "=", id).execute()).length;
  const before = await countSessions();
  const newHash = await hashPassword("Another-horse-8", { iterations: 100_000, owner: "test" });
  const begin = db.transaction;
  // The password changes after the login has verified it and before the login opens a session.
  db.transaction = () => {
    db.transaction = begin;
    const transaction = db.transaction();
    const execute = transaction.execute.bind(transaction);
    transaction.execute = async (work) => {
      await db.updateTable("users").set({ password_hash: newHash }).where("id", "=", id).execute();
      return await execute(work);
    };
    return transaction;
  };
  strictEqual((await logIn(app.client(), email)).status, 401);
  strictEqual(db.transaction, begin);
  strictEqual(await countSessions(), before);
});

Deno.test("a login replaces a hash of fewer iterations, but never one of more", async () => {
  using _costs = app.useRealCosts();
  const { db, config } = app.services;
  const { id, email } = await registerVerifiedUser(app, "rehash@example.com");
  const storedHash = async () =>
    (await db.selectFrom("users").select("password_hash").where("id", "=", id).executeTakeFirstOrThrow())
      .password_hash!;
  const before = await storedHash();
  config.pbkdf2Iterations = 110_000;
  strictEqual((await logIn(app.client(), email, "Wrong-horse-77")).status, 401);
  strictEqual(await storedHash(), before);
  strictEqual((await logIn(app.client(), email, PASSWORD)).status, 200);
  const after = await storedHash();
  strictEqual(iterationsOf(after), 110_000);
  config.pbkdf2Iterations = 100_000;
  strictEqual((await logIn(app.client(), email, PASSWORD)).status, 200);
  strictEqual(await storedHash(), after);
  deepStrictEqual([before === after, iterationsOf(before)], [false, 100_000]);
});

Deno.test("of eight logins at the same moment, each succeeds although the first replaces the hash", async () => {
  using _costs = app.useRealCosts();
  const { config } = app.services;
  const { email } = await registerVerifiedUser(app, "crowd@example.com");
  config.pbkdf2Iterations = 110_000;
  const responses = await Promise.all(Array.from({ length: 8 }, () => logIn(app.client(), email)));
  config.pbkdf2Iterations = 100_000;
  deepStrictEqual(responses.map(({ status }) => status), Array(8).fill(200));
});
