import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { HOUR_SECONDS, MINUTE_SECONDS } from "../../lib/duration.ts";
import {
  isLoggedIn,
  mailedCode,
  mailedToken,
  mailsTo,
  registerUser,
  registerVerifiedUser,
} from "../support/app/accounts.ts";
import { readPage } from "../support/app/page_reader.ts";
import { registerWithTotp } from "../support/app/second_factor.ts";
import { openSharedTestApp, openTestApp } from "../support/app/test_app.ts";
import { outcomeOf, type TestClient } from "../support/app/test_client.ts";

const app = await openSharedTestApp({ SIGN_IN_CODES: "true", LOGIN_MAX_ATTEMPTS: "0" });
const { db } = app.services;
const ELSEWHERE = /Open this link in the browser where you asked for it, or type the code from the email there\./;

/** The token of the last link beside a code that was emailed to the address. */
async function linkToken(email: string): Promise<string> {
  const links = (await mailsTo(app, email)).map(({ text }) => text.match(/\/login-link\?token=([\w-]{43})$/m)?.[1]);
  return links.findLast((token) => token !== undefined)!;
}

/** Asks for a code in a browser. Returns the browser, and the token of the link in the email. */
async function ask(email: string, browser = app.client()) {
  strictEqual((await browser.send("POST", "/auth/code", { email })).status, 200);
  return { browser, token: await linkToken(email) };
}

const open = (browser: TestClient, token: string) => browser.get(`/login-link?token=${token}`);
const logIn = (browser: TestClient, token: string) => browser.send("POST", "/auth/code/link", { token });

Deno.test("the link beside a code logs in like the code, once, in the browser that asked", async () => {
  const { id, email } = await registerVerifiedUser(app, "ada@example.com");
  const { browser, token } = await ask(email);
  const page = await readPage(open(browser, token));
  match(page.html, /This link logs you in as/);
  page.button("Log in");
  const response = await logIn(browser, token);
  deepStrictEqual([response.status, await response.json()], [200, {
    success: true,
    message: "Login successful",
    user: { id, email, name: "Ada Lovelace", provider: "email" },
  }]);
  const { data } = await (await browser.get("/api/account")).json();
  strictEqual(data.session.method, "code");
  strictEqual(await outcomeOf(logIn(browser, token)), "400 INVALID_TOKEN");
  match(await (await open(browser, token)).text(), /expired or has already been used/);
});

Deno.test("opening the link twenty times changes nothing, in either browser", async () => {
  const { email } = await registerVerifiedUser(app, "scanned@example.com");
  const { browser, token } = await ask(email);
  const phone = app.client();
  for (let times = 0; times < 20; times++) {
    match(await (await open(phone, token)).text(), ELSEWHERE);
    strictEqual((await open(browser, token)).status, 200);
  }
  deepStrictEqual([await isLoggedIn(phone), await isLoggedIn(browser)], [false, false]);
  strictEqual((await logIn(browser, token)).status, 200);
});

Deno.test("in another browser the link opens nothing, and still works in its own", async () => {
  const { email } = await registerVerifiedUser(app, "elsewhere@example.com");
  const { browser, token } = await ask(email);
  const phone = app.client();
  const other = await ask((await registerVerifiedUser(app, "someone-else@example.com")).email);
  const forged = app.client();
  forged.cookies.set("login_request", "A".repeat(43));
  for (const stranger of [phone, other.browser, forged]) {
    const page = await readPage(open(stranger, token));
    match(page.html, ELSEWHERE);
    ok(!page.html.includes(email), "nobody is named");
    deepStrictEqual(page.forms, []);
    strictEqual(await outcomeOf(logIn(stranger, token)), "400 INVALID_TOKEN");
    const submitted = await stranger.submit("/login-link", { token });
    strictEqual(submitted.status, 400);
    match(await submitted.text(), ELSEWHERE);
    strictEqual(await isLoggedIn(stranger), false);
  }
  const opened = await browser.submit("/login-link", { token });
  deepStrictEqual([opened.status, opened.headers.get("Location")], [303, "/dashboard"]);
  ok(await isLoggedIn(browser));
  strictEqual(await isLoggedIn(phone), false);
});

Deno.test("two values of the cookie count as none", async () => {
  const { email } = await registerVerifiedUser(app, "tossed@example.com");
  const { browser, token } = await ask(email);
  const own = browser.cookies.get("login_request")!;
  const response = await app.handler(
    new Request("http://foyer.test/auth/code/link", {
      method: "POST",
      headers: { "Content-Type": "application/json", cookie: `login_request=${own}; login_request=${"B".repeat(43)}` },
      body: JSON.stringify({ token }),
    }),
    { remoteAddr: { transport: "tcp", hostname: "10.9.9.9", port: 1 }, completed: Promise.resolve() },
  );
  strictEqual(response.status, 400);
  await response.body?.cancel();
});

Deno.test("using the code voids the link, and using the link voids the code", async () => {
  const { email } = await registerVerifiedUser(app, "either@example.com");
  const first = await ask(email);
  const code = await mailedCode(app, email);
  strictEqual((await app.client().send("POST", "/auth/code/verify", { email, code })).status, 200);
  strictEqual(await outcomeOf(logIn(first.browser, first.token)), "400 INVALID_TOKEN");
  const second = await ask(email);
  const other = await mailedCode(app, email);
  strictEqual((await logIn(second.browser, second.token)).status, 200);
  strictEqual(
    await outcomeOf(app.client().send("POST", "/auth/code/verify", { email, code: other })),
    "401 INVALID_CREDENTIALS",
  );
});

Deno.test("of the code and the link at once, exactly one logs in", async () => {
  const { email } = await registerVerifiedUser(app, "at-once@example.com");
  const { browser, token } = await ask(email);
  const code = await mailedCode(app, email);
  const responses = await Promise.all([
    ...Array.from({ length: 3 }, () => logIn(browser, token)),
    ...Array.from({ length: 3 }, () => app.client().send("POST", "/auth/code/verify", { email, code })),
  ]);
  strictEqual(responses.filter(({ status }) => status === 200).length, 1);
});

Deno.test("the link works for ten minutes, until a newer one replaces it", async () => {
  const { email } = await registerVerifiedUser(app, "late@example.com");
  const late = await ask(email);
  app.advance(10 * MINUTE_SECONDS - 1);
  match(await (await open(late.browser, late.token)).text(), /This link logs you in as/);
  app.advance(1);
  strictEqual(await outcomeOf(logIn(late.browser, late.token)), "400 INVALID_TOKEN");
  const replaced = await ask(email);
  const newest = await ask(email, replaced.browser);
  strictEqual(await outcomeOf(logIn(replaced.browser, replaced.token)), "400 INVALID_TOKEN");
  strictEqual((await logIn(newest.browser, newest.token)).status, 200);
});

Deno.test("guesses of the code do not burn the link", async () => {
  const { email } = await registerVerifiedUser(app, "burned@example.com");
  const { browser, token } = await ask(email);
  for (let tries = 0; tries < 30; tries++) {
    const guesser = app.client(`10.8.8.${Math.floor(tries / 5)}`);
    await guesser.send("POST", "/auth/code/verify", { email, code: "00000000" });
  }
  strictEqual((await logIn(browser, token)).status, 200);
});

Deno.test("a request that is refused because of its limit leaves the earlier link alive in this browser", async () => {
  const { email } = await registerVerifiedUser(app, "used-up@example.com");
  const browser = app.client();
  for (let count = 0; count < 3; count++) await ask(email, browser);
  const token = await linkToken(email);
  const before = app.mails.length;
  strictEqual((await browser.send("POST", "/auth/code", { email })).status, 200);
  await app.deliverMails();
  strictEqual(app.mails.length, before, "no fourth email");
  strictEqual((await logIn(browser, token)).status, 200);
  app.advance(HOUR_SECONDS);
});

Deno.test("every address gets the same response and a cookie", async () => {
  const { email } = await registerVerifiedUser(app, "known@example.com");
  const shapes = await Promise.all([email, "nobody@example.com"].map(async (address) => {
    const response = await app.client().send("POST", "/auth/code", { email: address });
    const cookies = response.headers.getSetCookie();
    match(cookies.join(), /^login_request=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
    return [response.status, await response.text(), cookies.length];
  }));
  deepStrictEqual(shapes[0], shapes[1]);
  const forms = await Promise.all([email, "nobody@example.com"].map(async (address) => {
    const browser = app.client();
    const { status } = await browser.submit("/login-code", { action: "send", email: address });
    return [status, browser.cookies.has("login_request")];
  }));
  deepStrictEqual(forms, [[303, true], [303, true]]);
  const stored = await db.selectFrom("emailed_codes").selectAll().execute();
  const token = await linkToken(email);
  ok(!JSON.stringify([stored, app.logLines]).includes(token), "only hashes are stored, and nothing is logged");
});

Deno.test("the link leads where the page of codes would have led", async () => {
  const { email } = await registerVerifiedUser(app, "next@example.com");
  const browser = app.client();
  await browser.submit("/login-code?next=%2Fuploads", { action: "send", email });
  const token = await linkToken(email);
  const response = await browser.submit("/login-link", { token });
  strictEqual(response.headers.get("Location"), "/uploads");
  const foreign = app.client();
  await foreign.submit("/login-code?next=https%3A%2F%2Fevil.example", { action: "send", email });
  const opened = await foreign.submit("/login-link", { token: await linkToken(email) });
  strictEqual(opened.headers.get("Location"), "/dashboard");
});

Deno.test("after the link, the second step is asked for too, and leads to the next page", async () => {
  const { email, totp } = await registerWithTotp(app, "second@example.com");
  const browser = app.client();
  await browser.submit("/login-code?next=%2Fuploads", { action: "send", email });
  const response = await browser.submit("/login-link", { token: await linkToken(email) });
  strictEqual(response.headers.get("Location"), "/second-factor?next=%2Fuploads");
  strictEqual(await isLoggedIn(browser), false);
  const finished = await browser.submit("/second-factor?next=%2Fuploads", { code: totp.code() });
  strictEqual(finished.headers.get("Location"), "/uploads");
  const again = await ask(email);
  strictEqual(await outcomeOf(logIn(again.browser, again.token)), "403 SECOND_FACTOR_REQUIRED");
});

Deno.test("the link verifies the address, and leaves nothing of a stranger who had registered it", async () => {
  const stranger = await registerUser(app, "hijacked@example.com", "Mallory");
  await app.deliverMails();
  const { browser, token } = await ask(stranger.email);
  strictEqual((await logIn(browser, token)).status, 200);
  strictEqual(await isLoggedIn(stranger.client), false);
  const { data } = await (await browser.get("/api/account")).json();
  deepStrictEqual([data.emailVerified, data.hasPassword], [true, false]);
});

Deno.test("another address of the account voids the link", async () => {
  const { client, email } = await registerVerifiedUser(app, "old@example.com");
  const { browser, token } = await ask(email);
  await client.send("POST", "/api/account/email", { email: "new@example.com" });
  const confirmed = await client.send("POST", "/auth/confirm-email", {
    token: await mailedToken(app, "new@example.com"),
  });
  strictEqual(confirmed.status, 200);
  strictEqual(await outcomeOf(logIn(browser, token)), "400 INVALID_TOKEN");
});

Deno.test("on an https site the cookie belongs to this host alone", async () => {
  await using production = await openTestApp({
    APP_ENV: "production",
    BASE_URL: "https://foyer.test",
    EMAIL_API_TOKEN: "t",
    EMAIL_FROM: "a@b.example",
    APP_SECRET: "x".repeat(32),
    SIGN_IN_CODES: "true",
  });
  const response = await production.client().send("POST", "/auth/code", { email: "nobody@example.com" });
  match(response.headers.getSetCookie()[0], /^__Host-login_request=.*; HttpOnly; Secure; SameSite=Lax$/);
});
