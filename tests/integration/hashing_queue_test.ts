import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { hashPassword } from "../../lib/crypto/password.ts";
import { PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { enableTotp } from "../support/app/second_factor.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

/** Twice as many as may wait for a hash. */
const REGISTRATIONS = 200;
/** More than may wait for a hash. */
const REQUESTS = 180;
const LOGINS = 16;

const app = await openSharedTestApp({ LIMIT_LOGIN: "off" });
app.useRealCosts();
const { db } = app.services;

Deno.test("a flood of registrations is partly refused, so that a login waits only a short time", async () => {
  const { email } = await registerVerifiedUser(app, "patient@example.com");
  const hashMs = await timeOf(hashOnce);
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
  const longestMs = longestOf(logins);
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

Deno.test("a member who asks for many recovery codes holds up no other login", async () => {
  const { client, id } = await registerVerifiedUser(app, "greedy@example.com");
  await enableTotp(app, client);
  const logIns = await loginsOfOthers("codes");
  const hashMs = await timeOf(hashOnce);
  const flood = Array.from({ length: REQUESTS }, () => client.request("/api/totp/recovery-codes", { method: "POST" }));
  await new Promise((resolve) => setTimeout(resolve, 200)); // the flood has arrived
  const logins = await usersLogIn(logIns);
  const responses = await Promise.all(flood);

  deepStrictEqual(statusesOf(logins), { 200: LOGINS });
  ok(longestOf(logins) < 2 * LOGINS * hashMs + 1_500, `a login took ${longestOf(logins)} ms`);
  const { 200: made, ...refused } = statusesOf(responses);
  ok(made >= 1 && made < 10, `${made} runs of recovery codes`);
  deepStrictEqual(refused, { 503: REQUESTS - made });
  const { count } = await db.selectFrom("recovery_codes").select(({ fn }) => fn.countAll<string>().as("count"))
    .where("user_id", "=", id).executeTakeFirstOrThrow();
  strictEqual(Number(count), 10);
});

Deno.test("logins take turns with the many of one address, and none of them is refused", async () => {
  const logIns = await loginsOfOthers("turns");
  const hashMs = await timeOf(hashOnce);
  const greedy = app.client();
  const guess = { email: "nobody@example.com", password: PASSWORD };
  const flood = Array.from({ length: REQUESTS }, () => greedy.send("POST", "/auth/login", guess));
  await new Promise((resolve) => setTimeout(resolve, 200)); // the flood has arrived
  const logins = await usersLogIn(logIns);
  const responses = await Promise.all(flood);

  deepStrictEqual(statusesOf(logins), { 200: LOGINS });
  // Each login waits for the hashes of the others, and for as many of the flood's. The rest is for other work.
  ok(longestOf(logins) < 2 * LOGINS * hashMs + 1_500, `a login took ${longestOf(logins)} ms`);
  const { 401: judged, ...refused } = statusesOf(responses);
  deepStrictEqual(refused, { 503: REQUESTS - judged });
});

/**
 * Registers people with verified addresses. Returns a function for each, which logs the person in from a new address.
 */
async function loginsOfOthers(name: string) {
  const logIns = [];
  for (let i = 0; i < LOGINS; i++) {
    const { email } = await registerVerifiedUser(app, `${name}${i}@example.com`);
    logIns.push(() => app.client().send("POST", "/auth/login", { email, password: PASSWORD }));
  }
  return logIns;
}

async function usersLogIn(logIns: (() => Promise<Response>)[]): Promise<{ status: number; ms: number }[]> {
  return await Promise.all(logIns.map(async (logIn) => {
    const startedAt = performance.now();
    const { status } = await logIn();
    return { status, ms: performance.now() - startedAt };
  }));
}

function longestOf(logins: { ms: number }[]): number {
  return Math.max(...logins.map(({ ms }) => ms));
}

function statusesOf(responses: { status: number }[]): Record<number, number> {
  const byStatus = Object.groupBy(responses, ({ status }) => status);
  return Object.fromEntries(Object.entries(byStatus).map(([status, all]) => [status, all!.length]));
}

async function hashOnce(): Promise<void> {
  await hashPassword(PASSWORD, { iterations: 100_000, owner: "test" });
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
