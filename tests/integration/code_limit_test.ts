import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "../../lib/duration.ts";
import { findWaitingSignIn, finishSignIn } from "../../lib/sign_in/second_factor/finish_sign_in.ts";
import { logIn, mailedToken, mailsTo, PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { enableTotp, startLogin } from "../support/app/second_factor.ts";
import { SOME_CLIENT } from "../support/app/some_client.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";

/** Limits that are empty have their defaults. */
const app = await openSharedTestApp({ LIMIT_LOGIN: "off", LIMIT_PROOF: "", LIMIT_CODE: "", LIMIT_MAIL: "2/3600" });
const WRONG_CODE = "ZZZZ-ZZZZ-ZZZZ-ZZZZ";
const WINDOW_SECONDS = 15 * MINUTE_SECONDS;

/** Someone with a second factor, in an open session. */
async function owner(email: string) {
  const registered = await registerVerifiedUser(app, email);
  return { ...registered, totp: await enableTotp(app, registered.client) };
}

const secondStep = async (client: TestClient, code: string) =>
  (await client.send("POST", "/auth/second-factor", { code })).status;

/** Logs in with the right password in a new browser, then enters wrong codes. */
async function guess(email: string, times: number): Promise<number[]> {
  const client = await startLogin(app, email, app.client("192.0.2.66"));
  const statuses: number[] = [];
  for (let tries = 0; tries < times; tries++) statuses.push(await secondStep(client, WRONG_CODE));
  return statuses;
}

/** Uses up what a day allows. */
async function guessAllDay(email: string): Promise<void> {
  for (let windows = 0; windows < 10; windows++) {
    deepStrictEqual(await guess(email, 5), Array(5).fill(403));
    app.advance(WINDOW_SECONDS);
  }
}

async function alertsTo(email: string): Promise<string[]> {
  const alerts = (await mailsTo(app, email)).filter(({ subject }) => subject.startsWith("Wrong codes"));
  return alerts.map(({ text }) => text);
}

Deno.test("who knows the password cannot lock out the owner", async () => {
  const { client, email, totp } = await owner("not-locked-out@example.com");
  deepStrictEqual(await guess(email, 6), [...Array(5).fill(403), 429]);
  strictEqual((await client.send("POST", "/auth/reauthenticate", { code: totp.code() })).status, 200, "step-up");
  await startLogin(app, email, client);
  strictEqual(await secondStep(client, totp.recoveryCodes[0]), 200, "a known browser");
  const change = { currentPassword: PASSWORD, newPassword: "Another-horse-8" };
  strictEqual((await client.send("PUT", "/api/account/password", change)).status, 200, "an open session");
});

Deno.test("wrong codes of the owner do not count in unknown browsers", async () => {
  const { client, email, totp } = await owner("clumsy@example.com");
  await startLogin(app, email, client);
  for (let tries = 0; tries < 5; tries++) strictEqual(await secondStep(client, WRONG_CODE), 403);
  await startLogin(app, email, client);
  strictEqual(await secondStep(client, totp.code()), 429);
  strictEqual(await secondStep(await startLogin(app, email), totp.code()), 200);
});

Deno.test("after fifty wrong codes in a day, only known browsers can log in", async () => {
  const { client, email, totp } = await owner("fifty@example.com");
  await guessAllDay(email);
  const guest = await startLogin(app, email);
  const refused = await guest.send("POST", "/auth/second-factor", { code: totp.code() });
  const left = DAY_SECONDS - 10 * WINDOW_SECONDS;
  deepStrictEqual([refused.status, refused.headers.get("Retry-After")], [429, String(left)]);
  await refused.body?.cancel();
  strictEqual(await secondStep(guest, totp.recoveryCodes[0]), 429, "recovery codes too");
  const page = await guest.submit("/second-factor", { action: "enter", code: totp.code() });
  strictEqual(page.status, 429);
  match(await page.text(), /Too many wrong codes\. Try again in 22 hours\. Sooner, you can log in with a passkey/);
  await startLogin(app, email, client);
  strictEqual(await secondStep(client, totp.code()), 200, "a known browser");
  app.advance(left);
  strictEqual(await secondStep(await startLogin(app, email), totp.code()), 200, "the next day");
});

Deno.test("a completed reset clears the counts of wrong codes", async () => {
  const { email, totp } = await owner("reset-codes@example.com");
  await guessAllDay(email);
  strictEqual((await alertsTo(email)).length, 6, "five, then the last one of the day");
  await app.client("192.0.2.7").send("POST", "/auth/forgot-password", { email });
  const token = await mailedToken(app, email);
  strictEqual(await secondStep(await startLogin(app, email), totp.code()), 429, "asking for a reset changes nothing");
  const password = "Another-horse-8";
  strictEqual((await app.client().send("POST", "/auth/reset-password", { email, token, password })).status, 200);
  const guest = app.client();
  await logIn(guest, email, password);
  strictEqual(await secondStep(guest, totp.code()), 200);
});

Deno.test("every fifth wrong code after the right password alerts the owner", async () => {
  const { client, email, id } = await owner("alerted-codes@example.com");
  // Too slow for the limit.
  await guess(email, 4);
  app.advance(WINDOW_SECONDS);
  deepStrictEqual(await alertsTo(email), []);
  await guess(email, 1);
  const [alert, ...others] = await alertsTo(email);
  deepStrictEqual(others, []);
  match(alert, /Someone who knows your password entered wrong codes/);
  match(alert, /First step: Password/);
  match(alert, /\/not-me\?token=/);
  await startLogin(app, email, client);
  for (let tries = 0; tries < 5; tries++) await secondStep(client, WRONG_CODE);
  strictEqual((await alertsTo(email)).length, 2, "in a known browser too");

  const token = alert.match(/token=([\w-]+)/)![1];
  strictEqual((await app.client().send("POST", "/auth/not-me", { token })).status, 200);
  const { password_hash } = await app.services.db.selectFrom("users").select("password_hash").where("id", "=", id)
    .executeTakeFirstOrThrow();
  strictEqual(password_hash, null, "the link makes the password useless");
});

Deno.test("no more concurrent wrong codes than the limit are judged", async () => {
  const { email } = await owner("burst-codes@example.com");
  const client = { ...SOME_CLIENT, deviceTokens: [], presentedSessionIds: [] };
  const guests = [await startLogin(app, email), await startLogin(app, email), await startLogin(app, email)];
  const find = (guest: TestClient) => findWaitingSignIn(app.services, guest.cookies.get("second_factor")!);
  const waiting = await Promise.all(guests.map(find));
  // All at once, which requests would not be.
  const guesses = Array.from(
    { length: 12 },
    (_, turn) =>
      finishSignIn(app.services, waiting[turn % 3]!, { proof: { code: WRONG_CODE }, trustDevice: false, client }),
  );
  const codes = (await Promise.allSettled(guesses)).map((guess) => guess.status === "rejected" && guess.reason.code);
  deepStrictEqual(codes.toSorted(), [...Array(5).fill("PROOF_WRONG"), ...Array(7).fill("RATE_LIMITED")]);
  strictEqual((await alertsTo(email)).length, 1);
});

Deno.test("someone with the password cannot use up the emails of the owner", async () => {
  const { client, email } = await owner("emails-left@example.com");
  const thief = await startLogin(app, email, app.client("192.0.2.67"));
  for (let count = 0; count < 2; count++) await thief.submit("/second-factor", { action: "lost", code: "" });
  const change = await client.send("POST", "/api/account/email", { email: "emails-left-new@example.com" });
  deepStrictEqual([change.status, change.headers.get("RateLimit")], [200, `"mail";r=1;t=${HOUR_SECONDS}`]);
  ok((await alertsTo(email)).length === 0);
});
