import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { isolated } from "../../lib/texts/isolation.ts";
import { closeAccountOf } from "../../lib/accounts/account_closing.ts";
import { deleteDueAccounts } from "../../lib/accounts/account_deletion.ts";
import { createInvitedUser } from "../../lib/accounts/invitation.ts";
import { COMMAND_LINE as by } from "../../lib/activity/events.ts";
import { DAY_SECONDS } from "../../lib/duration.ts";
import { readPage } from "../support/app/page_reader.ts";
import { mailedToken, PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0" });
const { services } = app;
const IN_GERMAN = { "Accept-Language": "de-AT, en;q=0.5" };
const IN_ARABIC = { "Accept-Language": "ar" };
/** The subject of the email that resets a password, by language. */
const RESET = {
  en: "Reset your Foyer password",
  de: "Setz dein Passwort für Foyer zurück",
  ar: `إعادة تعيين كلمة مرورك في ${isolated("Foyer", "rtl")}`,
};

const choose = (client: TestClient, language: unknown) => client.send("PUT", "/api/profile", { language });

async function storedLanguage(client: TestClient): Promise<string | null> {
  const { user } = await (await client.get("/api/profile")).json();
  const { data: account } = await (await client.get("/api/account")).json();
  strictEqual(account.language, user.language);
  return user.language;
}

/** Delivers the emails that are due, and returns the subject of the last one to the address. */
async function lastSubject(email: string): Promise<string | undefined> {
  await app.deliverMails();
  return app.mails.findLast(({ to }) => to === email)?.subject;
}

/** Registers someone with these headers, who confirms the address. */
async function register(email: string, headers: Record<string, string> = {}) {
  const client = app.client();
  const response = await client.send("POST", "/auth/register", { name: "Ada", email, password: PASSWORD }, headers);
  const { user } = await response.json();
  strictEqual(
    (await client.send("POST", "/auth/verify-email", { email, token: await mailedToken(app, email) })).status,
    200,
  );
  return { client, id: user.id as string, email };
}

Deno.test("the language is a setting that the profile and the account show", async () => {
  const { client } = await registerVerifiedUser(app, "chooses@example.com");
  strictEqual(await storedLanguage(client), null);
  const saved = await choose(client, "de");
  deepStrictEqual([saved.status, (await saved.json()).user.language], [200, "de"]);
  strictEqual(await storedLanguage(client), "de");
  strictEqual((await readPage(client.get("/dashboard", IN_ARABIC))).language, "de");
  await client.send("PUT", "/api/profile", { bio: "x" });
  strictEqual(await storedLanguage(client), "de", "other changes keep it");
  for (const none of [null, ""]) {
    await choose(client, "ar");
    strictEqual((await choose(client, none)).status, 200);
    strictEqual(await storedLanguage(client), null);
  }
  strictEqual((await readPage(client.get("/dashboard", IN_ARABIC))).language, "ar");
});

Deno.test("there is no setting for a language without texts", async () => {
  const { client } = await registerVerifiedUser(app, "unknown@example.com");
  await choose(client, "de");
  for (const language of ["xx", "DE", "constructor", "de-AT"]) {
    const response = await choose(client, language);
    const { code, details } = await response.json();
    deepStrictEqual([response.status, code, details], [400, "VALIDATION_FAILED", {
      language: ["Must be en or de or ar"],
    }]);
  }
  for (const language of [7, true, ["de"], "x".repeat(36), "d\ne"]) {
    const response = await choose(client, language);
    deepStrictEqual([response.status, Object.keys((await response.json()).details)], [400, ["language"]]);
  }
  strictEqual(await storedLanguage(client), "de");
});

Deno.test("the page of the setting stores it, and makes the browser remember or forget it", async () => {
  const { client, id } = await registerVerifiedUser(app, "page@example.com");
  const path = "/settings/language";
  const checked = async () => (await readPage(client.get(path))).find("main [checked]").getAttribute("value");
  strictEqual(await checked(), "");
  const saved = await client.submit(path, { user_id: id, language: "de" });
  deepStrictEqual([saved.status, saved.headers.get("Location")], [303, path]);
  deepStrictEqual([await storedLanguage(client), client.cookies.get("language")], ["de", "de"]);
  const { language, notice } = await readPage(client.get(path));
  deepStrictEqual([language, notice], ["de", "Sprache gespeichert."]);
  strictEqual(await checked(), "de");

  const refused = await client.submit(path, { user_id: id, language: "xx" });
  strictEqual(refused.status, 400);
  ok((await readPage(refused)).textAt("#language-error"));
  strictEqual((await client.submit(path, { user_id: "someone else", language: "ar" })).status, 403);
  strictEqual(await storedLanguage(client), "de");

  await client.submit(path, { user_id: id, language: "" });
  deepStrictEqual([await storedLanguage(client), client.cookies.get("language")], [null, undefined]);
  strictEqual((await readPage(client.get(path, IN_ARABIC))).language, "ar");
  strictEqual((await app.client().submit(path, { language: "de" })).status, 401);
});

Deno.test("an email is in the language of its recipient, else of the request, else of the registration", async () => {
  const cases: [
    setting: string | null,
    request: Record<string, string>,
    registered: Record<string, string>,
    tag: keyof typeof RESET,
  ][] = [
    ["ar", IN_GERMAN, IN_GERMAN, "ar"],
    [null, IN_GERMAN, IN_ARABIC, "de"],
    [null, { Cookie: "language=ar" }, IN_GERMAN, "ar"],
    [null, { "Accept-Language": "xx" }, IN_GERMAN, "de"],
    [null, {}, IN_GERMAN, "de"],
    [null, {}, {}, "en"],
  ];
  for (const [index, [setting, request, registered, tag]] of cases.entries()) {
    const { client, email } = await register(`recipient${index}@example.com`, registered);
    if (setting !== null) await choose(client, setting);
    await app.client().send("POST", "/auth/forgot-password", { email }, request);
    strictEqual(await lastSubject(email), RESET[tag], JSON.stringify(cases[index]));
  }
});

Deno.test("emails that no request causes are in the language of the registration, that of a deletion too", async () => {
  const { email, id } = await register("closed@example.com", IN_GERMAN);
  await closeAccountOf(services, { userId: id, by, reason: "x" });
  strictEqual(await lastSubject(email), "Dein Konto bei Foyer wird gelöscht");
  app.advance(40 * DAY_SECONDS);
  while (await deleteDueAccounts(services) > 0);
  strictEqual(await lastSubject(email), "Dein Konto bei Foyer wurde gelöscht");
});

Deno.test("a stranger who registers an address does not choose the language of its owner", async () => {
  const email = "owner@example.com";
  const stranger = app.client();
  await stranger.send("POST", "/auth/register", { name: "Eve", email, password: PASSWORD }, IN_ARABIC);
  strictEqual((await choose(stranger, "ar")).status, 200);
  const owner = app.client();
  await owner.send("POST", "/auth/forgot-password", { email }, IN_GERMAN);
  await app.deliverMails();
  const mail = app.mails.find(({ to, text }) => to === email && text.includes("/reset-password"))!;
  const token = /token=([\w-]+)/.exec(mail.text)![1];
  const reset = { email, token, password: "Another-horse-8" };
  strictEqual((await owner.send("POST", "/auth/reset-password", reset, IN_GERMAN)).status, 200);
  const user = await services.db.selectFrom("users").select(["language", "registration_language"])
    .where("email", "=", email).executeTakeFirstOrThrow();
  deepStrictEqual(user, { language: null, registration_language: "de" });
});

Deno.test("an account that the command line creates has no language", async () => {
  const { user: { id } } = await createInvitedUser(services, { name: "Ivo", email: "ivo@example.com", by });
  const { registration_language: language } = await services.db.selectFrom("users").select("registration_language")
    .where("id", "=", id).executeTakeFirstOrThrow();
  strictEqual(language, null);
});

Deno.test("responses about known and unknown addresses are equal, whatever language the account has", async () => {
  const { client, email: known } = await register("known@example.com", IN_ARABIC);
  await choose(client, "ar");
  const { client: asker } = await registerVerifiedUser(app, "asker@example.com");
  const answer = async (response: Response, email: string) => {
    const headers = [...response.headers].filter(([name]) =>
      !/^(x-request-id|date|ratelimit.*|set-cookie|content-length)$/.test(name)
    );
    const body = (await response.text()).replaceAll(/[0-9a-f-]{36}/g, "ID").replaceAll(
      encodeURIComponent(email),
      "EMAIL",
    )
      .replaceAll(email, "EMAIL");
    return { status: response.status, headers, body };
  };
  const requests: Record<string, (email: string) => Promise<Response>> = {
    forgotten: (email) => app.client().send("POST", "/auth/forgot-password", { email }, IN_GERMAN),
    resent: (email) => app.client().send("POST", "/auth/resend-verification", { email }, IN_GERMAN),
    page: (email) => app.client().get(`/reset-password?email=${encodeURIComponent(email)}&token=x`, IN_GERMAN),
    login: (email) => app.client().send("POST", "/auth/login", { email, password: "Wrong-horse-7" }, IN_GERMAN),
    change: (email) => asker.send("POST", "/api/account/email", { email }, IN_GERMAN),
  };
  for (const [name, request] of Object.entries(requests)) {
    const unknown = `unknown-${name}@example.com`;
    const answers = [await answer(await request(known), known), await answer(await request(unknown), unknown)];
    deepStrictEqual(answers[0], answers[1], name);
  }
  // Each is for the person who reads it: the owner of the address, and whoever asked.
  strictEqual(await lastSubject("unknown-change@example.com"), "Bestätige deine neue E‑Mail-Adresse für Foyer");
  match(app.mails.findLast(({ to }) => to === known)!.html, /<html lang="ar" dir="rtl">/);
});
