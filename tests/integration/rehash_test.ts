import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { iterationsOf } from "../../lib/crypto/password.ts";
import { logIn, PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0" });
app.useRealCosts();
const { db, config } = app.services;

Deno.test("a login replaces a hash of fewer iterations, but never one of more", async () => {
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
  const { email } = await registerVerifiedUser(app, "crowd@example.com");
  config.pbkdf2Iterations = 110_000;
  const responses = await Promise.all(Array.from({ length: 8 }, () => logIn(app.client(), email)));
  config.pbkdf2Iterations = 100_000;
  deepStrictEqual(responses.map(({ status }) => status), Array(8).fill(200));
});
