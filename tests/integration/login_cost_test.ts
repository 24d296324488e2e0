import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { iterationsOf } from "../../lib/accounts/password.ts";
import { PASSWORD, registerVerifiedUser } from "../support/accounts.ts";
import { median } from "../support/median.ts";
import { openSharedTestApp } from "../support/test_app.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0" });
const { db, config } = app.services;

function logIn(email: string, password: string) {
  return app.client().send("POST", "/auth/login", { email, password });
}

Deno.test("the time of a refused login does not tell which accounts exist, or how old their hashes are", async () => {
  const wrong = await registerVerifiedUser(app, "wrong@example.com");
  const older = await registerVerifiedUser(app, "older@example.com");
  const { id } = await registerVerifiedUser(app, "passwordless@example.com");
  await db.updateTable("users").set({ password_hash: null }).where("id", "=", id).execute();
  config.pbkdf2Iterations = 150_000;
  const newer = await registerVerifiedUser(app, "newer@example.com");

  const emails = [wrong.email, older.email, newer.email, "passwordless@example.com", "nobody@example.com"];
  const times = new Map<string, number[]>(emails.map((email) => [email, []]));
  for (let i = 0; i < 50; i++) {
    for (const email of emails) {
      const startedAt = performance.now();
      strictEqual((await logIn(email, "Wrong-horse-77")).status, 401);
      times.get(email)!.push(performance.now() - startedAt);
    }
  }
  const medians = [...times].map(([email, values]) => [email, median(values)] as const);
  const [slowest, fastest] = [Math.max, Math.min].map((pick) => pick(...medians.map(([, value]) => value)));
  ok(slowest <= fastest * 1.1, JSON.stringify(medians));
  config.pbkdf2Iterations = 100_000;
});

Deno.test("a login with a hash of fewer iterations makes it anew, once", async () => {
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
