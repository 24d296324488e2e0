import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { exampleBody } from "../support/api/entries.ts";
import { mailedToken, PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { readPage } from "../support/app/page_reader.ts";
import { openSharedTestApp, openTestApp } from "../support/app/test_app.ts";
import { startFalseProvider } from "../support/providers/false_provider.ts";
import { signIn } from "../support/providers/idp.ts";

const app = await openSharedTestApp();
const { email } = await registerVerifiedUser(app, "limited@example.com");
const WINDOW = 900;

function logIn(address: string, { password = "Wrong-horse-77", path = "/auth/login", headers = {} } = {}) {
  return app.client(address).send("POST", path, { email, password }, headers);
}

Deno.test("the sixth attempt of an address in a window gets 429, even with the right password", async () => {
  for (let i = 0; i < 4; i++) strictEqual((await logIn("192.0.2.1")).status, 401);
  strictEqual((await logIn("192.0.2.1", { password: PASSWORD })).status, 200);
  app.advance(100);
  const response = await logIn("192.0.2.1", { password: PASSWORD });
  strictEqual(response.status, 429);
  strictEqual(response.headers.get("Retry-After"), String(WINDOW - 100));
  strictEqual(response.headers.get("Set-Cookie"), null);
  deepStrictEqual(await response.json(), {
    message: "Too many login attempts. Please try again in 15 minutes",
    error: "Too many login attempts. Please try again in 15 minutes",
    code: "RATE_LIMITED",
    details: {},
  });
  strictEqual((await logIn("192.0.2.2", { password: PASSWORD })).status, 200);

  app.advance(WINDOW - 101);
  strictEqual((await logIn("192.0.2.1", { password: PASSWORD })).status, 429);
  app.advance(1);
  strictEqual((await logIn("192.0.2.1", { password: PASSWORD })).status, 200);
});

Deno.test("no more than five concurrent attempts are accepted", async () => {
  const statuses = (await Promise.all(Array.from({ length: 20 }, () => logIn("192.0.2.3")))).map(({ status }) =>
    status
  );
  deepStrictEqual(statuses.toSorted(), [...Array(5).fill(401), ...Array(15).fill(429)]);
});

Deno.test("the page and the API share the limit, with and without a query", async () => {
  for (const path of ["/auth/login", "/auth/login?x=1", "/auth/login?y=2"]) {
    strictEqual((await logIn("192.0.2.4", { path })).status, 401);
  }
  const page = app.client("192.0.2.4");
  for (let i = 0; i < 2; i++) {
    strictEqual((await page.submit("/login", { email, password: "Wrong-horse-77" })).status, 401);
  }
  const refused = await page.submit("/login", { email, password: "Wrong-horse-77" });
  strictEqual(refused.status, 429);
  strictEqual(refused.headers.get("Retry-After"), String(WINDOW));
  strictEqual((await readPage(refused)).message, "Too many attempts from your network. Try again in 15 minutes.");
  strictEqual((await logIn("192.0.2.4")).status, 429);
});

Deno.test("without trusted proxies, X-Forwarded-For is ignored", async () => {
  for (let i = 0; i < 5; i++) await logIn("192.0.2.5", { headers: { "X-Forwarded-For": `203.0.113.${i}` } });
  strictEqual((await logIn("192.0.2.5", { headers: { "X-Forwarded-For": "203.0.113.99" } })).status, 429);
});

Deno.test("IPv6 clients count by their /64 network, and mapped IPv4 addresses as IPv4", async () => {
  for (let i = 0; i < 5; i++) await logIn(`2001:db8:0:1::${i}`);
  strictEqual((await logIn("2001:db8:0:1:ffff::1")).status, 429);
  strictEqual((await logIn("2001:db8:0:2::1")).status, 401);
  for (let i = 0; i < 5; i++) await logIn("192.0.2.6");
  strictEqual((await logIn("::ffff:192.0.2.6")).status, 429);
});

Deno.test("behind a trusted proxy, the client that it saw counts; with 0 attempts there is no limit", async () => {
  await using proxied = await openTestApp({ TRUSTED_PROXIES: "1" });
  const attempt = (forwarded: string) =>
    proxied.client("10.9.9.9").send("POST", "/auth/login", { email: "a@example.com", password: "x" }, {
      "X-Forwarded-For": forwarded,
    });
  for (let i = 0; i < 5; i++) strictEqual((await attempt(`198.51.100.${i}, 203.0.113.9`)).status, 401);
  strictEqual((await attempt("198.51.100.66, 203.0.113.9")).status, 429);
  strictEqual((await attempt("203.0.113.10")).status, 401);

  proxied.services.config.limits.login = null;
  strictEqual((await attempt("203.0.113.9")).status, 401);
});

Deno.test("a limited network is told only what helps: a provider does, a reset, a passkey and a code do not", async () => {
  await using provider = await startFalseProvider();
  await using at = await openTestApp({ ...provider.env, IDP_NAME: "Acme", SIGN_IN_CODES: "true" });
  const person = await registerVerifiedUser(at, "office@example.com");
  const limited = at.client("192.0.2.20");
  const attempt = (password: string) => limited.submit("/login", { email: person.email, password });
  for (let i = 0; i < 5; i++) strictEqual((await attempt("Wrong-horse-77")).status, 401);
  const refused = await attempt(PASSWORD);
  strictEqual(refused.status, 429);
  const message = "Too many attempts from your network. Try again in 15 minutes, or continue with Acme.";
  strictEqual((await readPage(refused)).message, message);

  await limited.send("POST", "/auth/forgot-password", { email: person.email });
  const token = await mailedToken(at, person.email);
  const password = "Another-horse-8";
  strictEqual(
    (await limited.send("POST", "/auth/reset-password", { email: person.email, token, password })).status,
    200,
  );
  strictEqual((await attempt(password)).status, 429);
  const { credential } = exampleBody("POST /auth/passkey") as { credential: unknown };
  const passkey = await limited.submit("/login?with=passkey", { credential: JSON.stringify(credential) });
  strictEqual(passkey.status, 429);
  strictEqual((await readPage(passkey)).message, message);
  const code = await limited.submit("/login-code", { email: person.email, code: "12345678", action: "verify" });
  strictEqual(code.status, 429);
  strictEqual((await readPage(code)).message, message);

  const identity = { sub: "office", email: person.email, email_verified: true, name: "Office" };
  const signedIn = await signIn(at, provider, identity, limited);
  strictEqual(signedIn.headers.get("Location"), "/dashboard");
});
