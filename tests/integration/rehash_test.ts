import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { iterationsOf } from "../../lib/crypto/password.ts";
import { PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0" });
app.useRealCosts();
const { db, config } = app.services;

function logIn(email: string, password: string) {
  return app.client().send("POST", "/auth/login", { email, password });
}

Deno.test("a login replaces a hash of fewer iterations, but never one of more", async () => {
  const { id, email } = await registerVerifiedUser(app, "rehash@example.com");
  const storedHash = async () =>
    (await db.selectFrom("users").select("password_hash").where("id", "=", id).executeTakeFirstOrThrow())
      .password_hash!;
  const before = await storedHash();
  config.pbkdf2Iterations = 110_000;
  strictEqual((await logIn(email, "Wrong-horse-77")).status, 401);
  strictEqual(await storedHash(), before);
  strictEqual((await logIn(email, PASSWORD)).status, 200);
  const after = await storedHash();
  strictEqual(iterationsOf(after), 110_000);
  config.pbkdf2Iterations = 100_000;
  strictEqual((await logIn(email, PASSWORD)).status, 200);
  strictEqual(await storedHash(), after);
  deepStrictEqual([before === after, iterationsOf(before)], [false, 100_000]);
});
