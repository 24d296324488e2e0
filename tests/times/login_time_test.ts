import { registerVerifiedUser } from "../support/app/accounts.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import { assertEqualRefusals } from "../support/refused_logins.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0" });
app.useRealCosts();
const ATTEMPTS = 50;

Deno.test("the time of a refused login does not reveal whether the account exists or how old its hash is", async () => {
  const { db, config } = app.services;
  const wrong = await registerVerifiedUser(app, "wrong@example.com");
  const passwordless = await registerVerifiedUser(app, "passwordless@example.com");
  await db.updateTable("users").set({ password_hash: null }).where("id", "=", passwordless.id).execute();
  config.pbkdf2Iterations = 150_000;
  const newer = await registerVerifiedUser(app, "newer@example.com");
  const emails = [wrong.email, newer.email, passwordless.email, "nobody@example.com"];

  await assertEqualRefusals(app, { emails, attempts: ATTEMPTS });
});
