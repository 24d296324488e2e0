import { ok, strictEqual } from "node:assert/strict";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { median } from "../support/median.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0" });
app.useRealCosts();
const ATTEMPTS = 50;
const TOLERANCE = 1.1;
/** Other processes can distort one round. A real difference would show in all of them. */
const ROUNDS = 3;

Deno.test("the time of a refused login does not reveal whether the account exists or how old its hash is", async () => {
  const { db, config } = app.services;
  const wrong = await registerVerifiedUser(app, "wrong@example.com");
  const passwordless = await registerVerifiedUser(app, "passwordless@example.com");
  await db.updateTable("users").set({ password_hash: null }).where("id", "=", passwordless.id).execute();
  config.pbkdf2Iterations = 150_000;
  const newer = await registerVerifiedUser(app, "newer@example.com");
  const emails = [wrong.email, newer.email, passwordless.email, "nobody@example.com"];

  const spreads: number[] = [];
  while (spreads.length < ROUNDS && !(spreads.at(-1)! <= TOLERANCE)) spreads.push(await spreadOfMedians(emails));
  ok(spreads.at(-1)! <= TOLERANCE, `slowest divided by fastest, in each round: ${spreads.join(", ")}`);
});

/** Returns the median time of the slowest kind of refusal, divided by that of the fastest. */
async function spreadOfMedians(emails: string[]): Promise<number> {
  const times = emails.map((): number[] => []);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    for (const [index, email] of emails.entries()) {
      const startedAt = performance.now();
      const response = await app.client().send("POST", "/auth/login", { email, password: "Wrong-horse-77" });
      times[index].push(performance.now() - startedAt);
      strictEqual(response.status, 401);
    }
  }
  const medians = times.map(median);
  return Math.max(...medians) / Math.min(...medians);
}
