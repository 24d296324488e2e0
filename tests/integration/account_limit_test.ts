import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { DAY_SECONDS, HOUR_SECONDS } from "../../lib/duration.ts";
import type { Db } from "../../db/schema.ts";
import { inEqualTime } from "../../lib/accounts/equal_time.ts";
import { findRateLimit } from "../../lib/limits/rate_limit.ts";
import { guessesFor } from "../../lib/sign_in/account_limit.ts";
import { login } from "../../lib/sign_in/login.ts";
import { mailedToken, mailsTo, PASSWORD, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { readPage } from "../support/app/page_reader.ts";
import { SOME_CLIENT } from "../support/app/some_client.ts";
import { openSharedTestApp, openTestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";

const app = await openSharedTestApp({ LIMIT_LOGIN: "off", LIMIT_ACCOUNT: "3/3600" });

async function logIn(client: TestClient, email: string, password = PASSWORD): Promise<number> {
  return (await client.send("POST", "/auth/login", { email, password })).status;
}

/** Sends a wrong password from each of as many new browsers. */
async function guess(email: string, times: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < times; i++) statuses.push(await logIn(app.client(), email, "Wrong-horse-77"));
  return statuses;
}

async function alertsTo(email: string): Promise<string[]> {
  const alerts = (await mailsTo(app, email)).filter(({ subject }) => subject.startsWith("Wrong passwords"));
  return alerts.map(({ text }) => text);
}

Deno.test("after too many wrong passwords, browsers that the account does not know get 429, and known ones go on", async () => {
  const { client, email } = await registerVerifiedUser(app, "owner@example.com");
  await client.request("/auth/logout", { method: "POST" });
  deepStrictEqual(await guess(email, 5), [401, 401, 401, 429, 429]);
  strictEqual(await logIn(app.client(), email), 429, "even with the right password");
  strictEqual(await logIn(client, email, "Wrong-horse-77"), 401, "a known browser");
  strictEqual(await logIn(client, email), 200);
  const page = await app.client().submit("/login", { email, password: PASSWORD });
  deepStrictEqual([page.status, page.headers.get("Retry-After")], [429, "3600"]);
  strictEqual(
    (await readPage(page)).message,
    "Too many wrong passwords for this address. Try again in 60 minutes, or reset your password.",
  );
  app.advance(HOUR_SECONDS);
  strictEqual(await logIn(app.client(), email), 200);
});

Deno.test("an address without an account and an unconfirmed one get the same answers, and no email", async () => {
  const unconfirmed = await registerUser(app, "unconfirmed@example.com");
  for (const email of ["nobody@example.com", unconfirmed.email]) {
    deepStrictEqual(await guess(email, 4), [401, 401, 401, 429]);
    const refused = await app.client().send("POST", "/auth/login", { email, password: PASSWORD });
    const { code, message } = await refused.json();
    deepStrictEqual([code, message], ["RATE_LIMITED", "Too many requests. Try again in 60 minutes"]);
    deepStrictEqual(await alertsTo(email), []);
  }
});

Deno.test("the owner gets one alert a day", async () => {
  const { email } = await registerVerifiedUser(app, "alerted@example.com");
  await guess(email, 2);
  deepStrictEqual(await alertsTo(email), []);
  await guess(email, 3);
  const [alert, ...others] = await alertsTo(email);
  deepStrictEqual(others, []);
  ok(alert.includes("/forgot-password"));
  app.advance(2 * HOUR_SECONDS);
  await guess(email, 5);
  strictEqual((await alertsTo(email)).length, 1);
  app.advance(DAY_SECONDS);
  await guess(email, 5);
  strictEqual((await alertsTo(email)).length, 2);
});

Deno.test("a completed reset of the password lifts the limit", async () => {
  const { email } = await registerVerifiedUser(app, "reset@example.com");
  await guess(email, 4);
  strictEqual((await alertsTo(email)).length, 1);
  await app.client().send("POST", "/auth/forgot-password", { email });
  strictEqual(await logIn(app.client(), email), 429, "asking for a reset changes nothing");
  const token = await mailedToken(app, email);
  const password = "Correct-horse-8";
  strictEqual((await app.client().send("POST", "/auth/reset-password", { email, token, password })).status, 200);
  strictEqual(await logIn(app.client(), email, password), 200);
});

Deno.test("right passwords do not count", async () => {
  const { email } = await registerVerifiedUser(app, "often@example.com");
  for (let i = 0; i < 5; i++) strictEqual(await logIn(app.client(), email), 200);
});

Deno.test("wrong passwords from browsers that the account knows do not count", async () => {
  const { client, email } = await registerVerifiedUser(app, "clumsy@example.com");
  for (let i = 0; i < 5; i++) strictEqual(await logIn(client, email, "Wrong-horse-77"), 401);
  deepStrictEqual(await guess(email, 1), [401]);
  deepStrictEqual(await alertsTo(email), []);
});

Deno.test("no more concurrent guesses than the limit are judged, and the owner gets one alert", async () => {
  const { email } = await registerVerifiedUser(app, "burst@example.com");
  const client = { ...SOME_CLIENT, deviceTokens: [], presentedSessionIds: [] };
  // All at once, which requests would not be.
  const guesses = Array.from({ length: 12 }, () => login(app.services, { email, password: "Wrong-horse-77" }, client));
  const codes = (await Promise.allSettled(guesses)).map((guess) => guess.status === "rejected" && guess.reason.code);
  deepStrictEqual(codes.toSorted(), [...Array(3).fill("INVALID_CREDENTIALS"), ...Array(9).fill("RATE_LIMITED")]);
  strictEqual((await alertsTo(email)).length, 1);
});

Deno.test("a wrong password counts although a flood for its address keeps it from being recorded", async () => {
  const { email } = await registerVerifiedUser(app, "flooded@example.com");
  const hold = Promise.withResolvers<void>();
  // Transactions of the embedded database would hold up the guess itself.
  const db = { transaction: () => ({ execute: () => hold.promise }) } as unknown as Db;
  const flood = Array.from({ length: 101 }, () => inEqualTime({ ...app.services, db }, email, () => Promise.resolve()));
  const client = { ...SOME_CLIENT, deviceTokens: [], presentedSessionIds: [] };
  const guess = login(app.services, { email, password: "Wrong-horse-77" }, client);
  await rejects(guess.finally(hold.resolve), { code: "UNAVAILABLE" });
  await Promise.all(flood);
  strictEqual((await findRateLimit(app.services, guessesFor(email)))?.remaining, 2);
});

Deno.test("with LOGIN_COUNTS=failures, only failed logins count under the policy login", async () => {
  await using failing = await openTestApp({ LIMIT_LOGIN: "2/900", LOGIN_COUNTS: "failures" });
  const { client, email } = await registerVerifiedUser(failing, "failing@example.com");
  const limits: [number, string | null][] = [];
  for (const password of [PASSWORD, "Wrong-horse-77", PASSWORD, "Wrong-horse-78", PASSWORD]) {
    const response = await client.send("POST", "/auth/login", { email, password });
    limits.push([response.status, response.headers.get("RateLimit")]);
  }
  const left = (requests: number) => `"login";r=${requests};t=900`;
  deepStrictEqual(limits, [[200, left(2)], [401, left(1)], [200, left(1)], [401, left(0)], [429, left(0)]]);
});
