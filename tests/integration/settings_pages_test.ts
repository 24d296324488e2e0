import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { readSettings } from "../../lib/config/config.ts";
import type { EndReason } from "../../lib/activity/kinds.ts";
import { eventText } from "../../lib/texts/event_text.ts";
import { HOUR_SECONDS } from "../../lib/duration.ts";
import { readPage } from "../support/app/page_reader.ts";
import { isLoggedIn, PASSWORD, principalOf, registerVerifiedUser } from "../support/app/accounts.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";
import { ENGLISH } from "../../lib/texts/languages.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0" });
const SESSIONS = "/settings/sessions";
const ACTIVITY = "/settings/activity";
const PAGE_SIZE = 24;
const FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0";

const sessionId = async (client: TestClient) => (await principalOf(app, client)).session.id;

async function textOf(client: TestClient, path: string): Promise<string> {
  const response = await client.get(path);
  strictEqual(response.status, 200, path);
  return (await readPage(response)).text;
}

/** Logs in to the account with another client. */
async function logIn(email: string, userAgent = FIREFOX): Promise<TestClient> {
  const client = app.client("192.0.2.7");
  await client.send("POST", "/auth/login", { email, password: PASSWORD }, { "User-Agent": userAgent });
  return client;
}

Deno.test("the pages of one's own account share a navigation that marks the current page", async () => {
  const { client } = await registerVerifiedUser(app, "navigating@example.com");
  const start = await client.get("/settings");
  deepStrictEqual([start.status, start.headers.get("Location")], [303, "/profile"]);
  for (
    const path of [
      "/profile",
      "/settings/password",
      "/settings/sign-in-methods",
      SESSIONS,
      ACTIVITY,
      "/settings/tokens",
    ]
  ) {
    const response = await client.get(path);
    deepStrictEqual(
      [response.status, response.headers.get("Cache-Control"), response.headers.get("X-Robots-Tag")],
      [200, "no-store", "noindex"],
      path,
    );
    const links = (await readPage(response)).findAll('nav[aria-label="Settings"] a');
    const hrefs = (of: Element[]) => of.map((link) => link.getAttribute("href")!);
    deepStrictEqual(hrefs(links.filter((link) => link.getAttribute("aria-current") === "page")), [path]);
    for (const href of hrefs(links)) strictEqual((await client.get(href)).status, 200, href);
  }
  const below = (await readPage(client.get("/settings/tokens/new"))).find('nav [aria-current="true"]');
  strictEqual(below.getAttribute("href"), "/settings/tokens");
});

Deno.test("a site at an IP address offers no passkeys, and the settings say why", async () => {
  const { client } = await registerVerifiedUser(app, "address@example.com");
  const { config } = app.services;
  const { passkeys } = config;
  const add = "/settings/sign-in-methods/passkeys/add";
  const offers = async () => {
    const pages = await Promise.all([
      app.client().get("/login"),
      client.get("/settings/sign-in-methods"),
      client.get(add),
    ]);
    return (await Promise.all(pages.map(readPage))).map((page) => page.findAll(".passkey").length > 0);
  };
  deepStrictEqual(await offers(), [true, true, true]);
  config.passkeys = readSettings({ BASE_URL: "https://192.0.2.1" }).passkeys;
  try {
    deepStrictEqual(await offers(), [false, false, false]);
    for (const path of ["/settings/sign-in-methods", add]) {
      const text = await textOf(client, path);
      match(text, /Passkeys need a domain name\. They don’t work here/);
      ok(!text.includes("needs JavaScript"), path);
    }
  } finally {
    config.passkeys = passkeys;
  }
});

Deno.test("guests log in before they see the pages of an account", async () => {
  for (const path of ["/settings", "/settings/password", SESSIONS, ACTIVITY]) {
    const response = await app.client().get(path);
    strictEqual(response.headers.get("Location"), `/login?next=${encodeURIComponent(path)}`);
  }
});

Deno.test("the sessions are listed with their device, address, method and times", async () => {
  const { client, email } = await registerVerifiedUser(app, "listing@example.com");
  match(await textOf(client, SESSIONS), /You’re not logged in anywhere else/);
  await logIn(email);
  const text = await textOf(client, SESSIONS);
  match(
    text,
    /Firefox on Windows Last seen March 1, 2026 at 12:\d\d PM UTC · 192\.0\.2\.7 · Logged in with a password · March 1, 2026 at/,
  );
  strictEqual(text.split("This device").length - 1, 1);
  ok(text.indexOf("This device") < text.indexOf("Firefox on Windows"), "the current session is not the first");
  ok(!text.includes("anywhere else"));
});

Deno.test("the page ends one session, and says so", async () => {
  const { client, email } = await registerVerifiedUser(app, "ending@example.com");
  const [other, third] = [await logIn(email), await logIn(email)];
  const id = await sessionId(other);
  const response = await client.submit(SESSIONS, { action: "end", id });
  deepStrictEqual([response.status, response.headers.get("Location")], [303, SESSIONS]);
  match(await (await client.get(SESSIONS)).text(), /Session logged out/);
  deepStrictEqual([await isLoggedIn(other), await isLoggedIn(third)], [false, true]);

  const again = await client.submit(SESSIONS, { action: "end", id });
  strictEqual(again.status, 404);
  match(await again.text(), /That session has already ended.*Firefox on Windows/s);
});

Deno.test("the page ends all other sessions, and says so", async () => {
  const { client, email } = await registerVerifiedUser(app, "ending-others@example.com");
  const others = [await logIn(email), await logIn(email)];
  strictEqual((await client.submit(SESSIONS, { action: "end_others" })).status, 303);
  match(await (await client.get(SESSIONS)).text(), /All other sessions are logged out/);
  for (const other of others) ok(!await isLoggedIn(other));
  ok(await isLoggedIn(client));
});

Deno.test("ending the current session logs out", async () => {
  const { client } = await registerVerifiedUser(app, "ending-own@example.com");
  const response = await client.submit(SESSIONS, { action: "end", id: await sessionId(client) });
  deepStrictEqual([response.status, response.headers.get("Location")], [303, "/login"]);
  ok(!client.cookies.has("auth_session"));
  match(await (await client.get("/login")).text(), /You’ve logged out/);
});

Deno.test("the page ends no session of another user, and refuses other forms", async () => {
  const { client } = await registerVerifiedUser(app, "nosy@example.com");
  const other = await registerVerifiedUser(app, "private@example.com");
  const id = await sessionId(other.client);
  strictEqual((await client.submit(SESSIONS, { action: "end", id })).status, 404);
  ok(await isLoggedIn(other.client));
  for (const fields of [{ action: "end" }, { action: "delete", id }, {}] as Record<string, string>[]) {
    strictEqual((await client.submit(SESSIONS, fields)).status, 400, JSON.stringify(fields));
  }
  strictEqual((await app.client().submit(SESSIONS, { action: "end_others" })).status, 401);
});

Deno.test("the activity tells in words what happened, newest first, and only of one's own account", async () => {
  const { client, email } = await registerVerifiedUser(app, "active@example.com");
  await registerVerifiedUser(app, "inactive@example.com");
  await client.send("PUT", "/api/profile", { bio: "New", website: "example.com" });
  await logIn(email);
  await app.client().send("POST", "/auth/login", { email, password: "Wrong-horse-77" });
  const text = await textOf(client, ACTIVITY);
  match(
    text,
    /Today Login failed: wrong password.*Logged in with a password New device Firefox on Windows · 192\.0\.2\.7 · 12:\d\d PM UTC Profile changed: bio and website Unknown app \(this device\).*Email address confirmed.*Logged in with a password.*Account created/,
  );
  strictEqual(text.split("Account created").length - 1, 1);
});

Deno.test("the activity comes in pages", async () => {
  const { client } = await registerVerifiedUser(app, "busy@example.com");
  for (let index = 0; index < PAGE_SIZE - 2; index++) {
    await client.send("PUT", "/api/profile", { bio: `Version ${index}` });
    app.advance(HOUR_SECONDS); // changes within an hour are one event
  }
  const first = await readPage(client.get(ACTIVITY));
  strictEqual(first.findAll(".event").length, PAGE_SIZE);
  ok(!first.text.includes("Account created"));
  const second = await readPage(client.get(first.find('[rel="next"]').getAttribute("href")!));
  match(second.text, /Account created/);
  ok(!second.text.includes("Profile changed"));
  deepStrictEqual(second.findAll('[rel="next"]'), []);
  strictEqual((await client.get(`${ACTIVITY}?cursor=x`)).status, 400);
});

Deno.test("every reason for which sessions end has a text of its own", () => {
  const isReason: Record<EndReason, true> = {
    logout: true,
    new_session: true,
    password_changed: true,
    password_reset: true,
    email_verified: true,
    identity_linked: true,
    ended: true,
    admin: true,
    not_me: true,
    account_closing: true,
    account_deleted: true,
    account_suspended: true,
    secrets_revoked: true,
  };
  const reasons = Object.keys(isReason);
  const texts = reasons.map((reason) => eventText(ENGLISH, { kind: "session.ended", details: { reason } }));
  strictEqual(new Set(texts).size, reasons.length);
});
