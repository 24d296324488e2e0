import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { findSetupLink } from "../../lib/accounts/first_admin.ts";
import { HOUR_SECONDS, MINUTE_SECONDS } from "../../lib/duration.ts";
import { announce } from "../../lib/server/announce.ts";
import type { Services } from "../../lib/services/services.ts";
import { COMMIT, VERSION } from "../../lib/version.ts";
import {
  logIn,
  mailedPath,
  mailsTo,
  PASSWORD,
  registerUser,
  registerVerifiedUser,
  subjectsTo,
} from "../support/app/accounts.ts";
import { readPage } from "../support/app/page_reader.ts";
import { openTestApp, type TestApp } from "../support/app/test_app.ts";
import { readValidPage } from "../support/browser/markup.ts";

const EMAIL = "ada@example.com";
const FORM = { name: "Ada", email: EMAIL, emailAgain: EMAIL, password: PASSWORD };

async function setupPath({ services }: TestApp): Promise<string> {
  const { pathname, search } = new URL((await findSetupLink(services))!);
  return pathname + search;
}

/** Makes the first admin with the form, and returns their browser. */
async function setUp(app: TestApp) {
  const client = app.client();
  const response = await client.submit(await setupPath(app), FORM);
  deepStrictEqual([response.status, response.headers.get("Location")], [303, "/admin/setup"]);
  return client;
}

Deno.test("the link makes a person the first admin, who can work at once", async () => {
  await using app = await openTestApp();
  const path = await setupPath(app);
  const page = await readValidPage(app.client().get(path));
  strictEqual(page.heading, "Set up the first admin");
  deepStrictEqual(page.fieldNames, ["name", "email", "emailAgain", "password"]);
  const client = await setUp(app);
  const report = await readValidPage(client.get("/admin/setup"));
  strictEqual(report.heading, "What works, and what is missing");
  match(report.text, /Open the link in the test email/);
  ok(report.leadsTo("/dev/outbox"));
  const chapters = report.links.map(({ href }) => href!.split("#")).filter(([page]) => page.startsWith("/docs/"));
  strictEqual(chapters.length, 6);
  for (const [document, anchor] of chapters) {
    const headings = (await (await client.get(document)).text()).matchAll(/^##+ (.*)$/gm);
    const anchors = [...headings].map(([, heading]) => heading.toLowerCase().replaceAll(" ", "-"));
    ok(anchors.includes(anchor), `${document}#${anchor}`);
  }
  const { data } = await (await client.get("/api/account/events")).json();
  ok(data.some(({ kind }: { kind: string }) => kind === "admin.first"));
  strictEqual((await logIn(app.client(), EMAIL)).status, 200);
});

Deno.test("the link is the same for an hour and works once, and strangers find no page", async () => {
  await using app = await openTestApp();
  const path = await setupPath(app);
  strictEqual(await setupPath(app), path);
  for (const other of ["/setup", "/setup?token=", `/setup?token=${"A".repeat(43)}`, `${path}A`]) {
    deepStrictEqual([(await app.client().get(other)).status, (await app.client().submit(other, FORM)).status], [
      404,
      404,
    ]);
  }
  app.advance(HOUR_SECONDS);
  strictEqual((await app.client().get(path)).status, 404);
  notStrictEqual(await setupPath(app), path);
  const living = await setupPath(app);
  const statuses = await Promise.all(
    ["a@example.com", "b@example.com", "c@example.com"].map(async (email) =>
      (await app.client().submit(living, { ...FORM, email, emailAgain: email })).status
    ),
  );
  deepStrictEqual(statuses.sort(), [303, 404, 404]);
  strictEqual((await app.client().get(living)).status, 404);
  strictEqual(await findSetupLink(app.services), null);
  const { db } = app.services;
  strictEqual((await db.selectFrom("users").select("id").execute()).length, 1);
});

Deno.test("a double-clicked setup makes one admin, who is logged in", async () => {
  await using app = await openTestApp();
  const path = await setupPath(app);
  const client = app.client();
  const { hidden } = (await readPage(client.get(path))).form();
  const clicks = await Promise.all([1, 2].map(() => client.submit(path, { ...hidden, ...FORM })));
  deepStrictEqual(clicks.map(({ headers }) => headers.get("Location")), ["/admin/setup", "/admin/setup"]);
  strictEqual((await client.get("/admin")).status, 200);
});

Deno.test("once there is an admin, made in any way, the link ends and there is no other", async () => {
  await using app = await openTestApp();
  const path = await setupPath(app);
  const { id } = await registerVerifiedUser(app, EMAIL);
  const { db } = app.services;
  await db.updateTable("users").set({ role: "admin" }).where("id", "=", id).execute();
  strictEqual((await app.client().get(path)).status, 404);
  strictEqual(await findSetupLink(app.services), null);
});

Deno.test("no email opens the account until the admin has confirmed the address in their own session", async () => {
  await using app = await openTestApp();
  const client = await setUp(app);
  const test = await mailedPath(app, EMAIL);
  match(test, /^\/verify-email\?/);
  const before = (await mailsTo(app, EMAIL)).length;
  await app.client().send("POST", "/auth/forgot-password", { email: EMAIL });
  await app.client().send("POST", "/auth/login-code", { email: EMAIL });
  strictEqual((await mailsTo(app, EMAIL)).length, before);
  const asksToConfirm = async () => (await readPage(client.get("/dashboard"))).textAt("#confirm") !== null;
  ok(await asksToConfirm());
  const { searchParams } = new URL(test, "http://foyer.test");
  const link = { action: "verify", email: EMAIL, token: searchParams.get("token")! };
  const stranger = app.client();
  const refused = await stranger.submit("/verify-email", link);
  strictEqual(refused.status, 303);
  match(refused.headers.get("Location")!, /^\/login\?email=ada%40example.com&next=%2Fverify-email/);
  strictEqual((await client.submit("/verify-email", link)).status, 303);
  ok(!await asksToConfirm());
  await app.client().send("POST", "/auth/forgot-password", { email: EMAIL });
  ok((await subjectsTo(app, EMAIL)).some((subject) => /reset|password/i.test(subject)));
});

Deno.test("an admin who has mistyped the address changes it, and its owner cannot take it back", async () => {
  await using app = await openTestApp();
  const client = await setUp(app);
  strictEqual((await client.send("POST", "/api/account/email", { email: "right@example.com" })).status, 200);
  const path = await mailedPath(app, "right@example.com");
  const { pathname, searchParams } = new URL(path, "http://foyer.test");
  await client.submit(pathname, { token: searchParams.get("token")! });
  strictEqual((await logIn(app.client(), "right@example.com")).status, 200);
  for (const { text } of await mailsTo(app, EMAIL)) {
    const [, token] = /not-me\?token=(\S+)/.exec(text) ?? [];
    if (token !== undefined) strictEqual((await app.client().submit("/not-me", { token })).status, 400);
  }
  strictEqual((await logIn(app.client(), "right@example.com")).status, 200);
});

Deno.test("an unconfirmed address loses its registrant, and a confirmed one logs in first", async () => {
  await using app = await openTestApp();
  const registrant = await registerUser(app, EMAIL, "Mallory");
  await setUp(app);
  strictEqual((await registrant.client.get("/api/profile")).status, 401);
  const { name } = await app.services.db.selectFrom("users").select("name").executeTakeFirstOrThrow();
  strictEqual(name, "Ada");

  await using other = await openTestApp();
  const { client } = await registerVerifiedUser(other, EMAIL);
  const path = await setupPath(other);
  const page = await readPage(other.client().submit(path, { ...FORM, name: "Eve" }));
  ok(page.leadsTo(`/login?next=${encodeURIComponent(path)}`));
  other.advance(15 * MINUTE_SECONDS + 1);
  strictEqual((await client.get(path)).headers.get("Location"), `/reauthenticate?next=${encodeURIComponent(path)}`);
  await client.send("POST", "/auth/reauthenticate", { password: PASSWORD });
  const own = await readPage(client.get(path));
  match(own.text, /Ada Lovelace\s*ada@example.com/);
  const { action, hidden } = own.form();
  const clicks = await Promise.all([client.submit(action, hidden), client.submit(action, hidden)]);
  deepStrictEqual(clicks.map(({ headers }) => headers.get("Location")), ["/admin/setup", "/admin/setup"]);
  strictEqual((await client.get("/admin")).status, 200);
});

Deno.test("REGISTRATION=closed does not keep the first admin out, and ALLOWED_EMAIL_DOMAINS does", async () => {
  await using closed = await openTestApp({ REGISTRATION: "closed" });
  await setUp(closed);
  await using elsewhere = await openTestApp({ ALLOWED_EMAIL_DOMAINS: "other.example" });
  const page = await readPage(elsewhere.client().submit(await setupPath(elsewhere), FORM));
  strictEqual(page.field("email").error, "Use an address at a domain that is accepted here");
});

Deno.test("a mistyped repetition and a weak password are said at their fields", async () => {
  await using app = await openTestApp();
  const path = await setupPath(app);
  const page = await readPage(app.client().submit(path, { ...FORM, emailAgain: "adda@example.com" }));
  strictEqual(page.field("emailAgain").error, "This is not the address above");
  const weak = await readPage(app.client().submit(path, { ...FORM, password: "short" }));
  ok(weak.field("password").error);
});

/** Returns what the log gets when the service listens. */
async function announced({ services }: TestApp, changes: Partial<Services["config"]>) {
  const lines: unknown[][] = [];
  const log: Services["log"] = (_level, message, fields) => void lines.push([message, ...fields ? [fields] : []]);
  await announce({ ...services, config: { ...services.config, ...changes }, log });
  return lines;
}

Deno.test("in development, a terminal shows where the service is and what comes next", async () => {
  await using app = await openTestApp();
  const forPeople = { logFormat: "text" as const };
  const link = await findSetupLink(app.services);
  deepStrictEqual(await announced(app, forPeople), [
    [`Foyer ${VERSION}:  http://foyer.test`],
    ["Emails:       http://foyer.test/dev/outbox"],
    [`First admin:  ${link}`],
    ["Demo data:    deno task seed, after you have stopped this"],
  ]);
  await setUp(app);
  strictEqual((await announced(app, forPeople)).length, 2);
});

Deno.test("programs, and production, read one line of fields, and another with the link", async () => {
  await using app = await openTestApp();
  const link = await findSetupLink(app.services);
  for (const changes of [{ logFormat: "json" as const }, { logFormat: "text" as const, isProduction: true }]) {
    deepStrictEqual(await announced(app, changes), [
      ["listening", { url: "http://foyer.test", version: VERSION, commit: COMMIT, isolate: 1 }],
      ["there is no admin yet; open this link to make the first one", { link }],
    ]);
  }
});
