import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { hashPassword } from "../../lib/crypto/password.ts";
import { PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

/** Twice as many as may wait for a hash. */
const REGISTRATIONS = 200;

const app = await openSharedTestApp({ LIMIT_LOGIN: "off" });
app.useRealCosts();
const { db } = app.services;

Deno.test("a flood of registrations is partly refused, so that a login waits only a short time", async () => {
  const { email } = await registerVerifiedUser(app, "patient@example.com");
  const hashMs = await timeOf(() => hashPassword(PASSWORD, 100_000));
  const logIn = () => app.client().send("POST", "/auth/login", { email, password: PASSWORD });

  const flood = Array.from({ length: REGISTRATIONS }, (_, i) => {
    const person = { name: "Ada", email: `flood${i}@example.com`, password: PASSWORD };
    return app.client().send("POST", "/auth/register", person);
  });
  const logins: { status: number; ms: number }[] = [];
  while (logins.at(-1)?.status !== 200 && logins.length < 10_000) {
    const startedAt = performance.now();
    const { status } = await logIn();
    logins.push({ status, ms: performance.now() - startedAt });
  }
  const responses = await Promise.all(flood);

  deepStrictEqual(logins.map(({ status }) => status), [...logins.slice(1).map(() => 503), 200]);
  const longestMs = Math.max(...logins.map(({ ms }) => ms));
  // A hundred hashes may be queued for at least one core. The rest is for the transactions of earlier requests.
  ok(longestMs < 200 * hashMs + 2_000, `a login took ${longestMs} ms, a hash ${hashMs} ms`);
  const refused = responses.filter(({ status }) => status === 503);
  ok(refused.every(({ headers }) => Number(headers.get("Retry-After")) > 0));
  ok(refused.length > 0, "none was refused");
  deepStrictEqual(
    app.logLines.filter((line) => line.includes("request failed")),
    [],
    "a stack for each would fill the log",
  );
  const { count } = await db.selectFrom("users").select(({ fn }) => fn.countAll<string>().as("count"))
    .where("email", "like", "flood%").executeTakeFirstOrThrow();
  strictEqual(Number(count), REGISTRATIONS - refused.length);
  strictEqual(responses.filter(({ status }) => status === 201).length, REGISTRATIONS - refused.length);
});

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
