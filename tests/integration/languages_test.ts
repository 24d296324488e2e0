import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { exampleMail } from "../../lib/mail/examples.ts";
import { MAIL_KINDS } from "../../lib/mail/kinds.ts";
import type { FieldProblems } from "../../lib/errors/problem.ts";
import { fieldErrors } from "../../lib/texts/field_errors.ts";
import { formTexts } from "../../lib/texts/form_texts.ts";
import { logIn, registerVerifiedUser } from "../support/app/accounts.ts";
import {
  IN_MARKER,
  MARKER,
  unmarked,
  unmarkedIn,
  withoutReferences,
  writeMarkerTexts,
} from "../support/app/marker_language.ts";
import type { TestClient } from "../support/app/test_client.ts";
import { registerAdmin } from "../support/app/admins.ts";
import { Page, readPage } from "../support/app/page_reader.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp({ TEXTS_DIR: await writeMarkerTexts() });

Deno.test("a page is in the language of the cookie, else the best that the browser accepts, else the default", async () => {
  const cases: [headers: Record<string, string>, tag: string][] = [
    [{}, "en"],
    [IN_MARKER, "nl"],
    [{ "Accept-Language": "fr, nl;q=0.1" }, "nl"],
    [{ "Accept-Language": "en, nl" }, "en"],
    [{ "Accept-Language": "fr" }, "en"],
    [{ "Accept-Language": "de-CH" }, "de"],
    [{ "Accept-Language": "en", "Cookie": "language=nl" }, "nl"],
    [{ ...IN_MARKER, "Cookie": "language=xx" }, "nl"],
    [{ ...IN_MARKER, "Cookie": "language=en" }, "en"],
  ];
  for (const [headers, tag] of cases) {
    const response = await app.client().get("/login", headers);
    const html = await response.text();
    strictEqual(new Page(html).language, tag, JSON.stringify(headers));
    strictEqual(withoutReferences(html).includes("⟦Log in⟧"), tag === MARKER);
    match(response.headers.get("Vary") ?? "", /Accept-Language, Cookie/);
  }
});

Deno.test("the picker leads back, and the choice of a member holds in every browser", async () => {
  const email = "picks@example.com";
  const { client } = await registerVerifiedUser(app, email);
  const choose = (by: TestClient, language: string, referer: string) =>
    by.request("/language", { method: "POST", body: new URLSearchParams({ language }), headers: { Referer: referer } });
  const chosen = await choose(client, "nl", `${app.services.config.baseUrl}/dashboard?a=1`);
  deepStrictEqual([chosen.status, chosen.headers.get("Location")], [303, "/dashboard?a=1"]);
  strictEqual((await readPage(client.get("/dashboard"))).language, "nl");
  const other = app.client();
  await logIn(other, email);
  strictEqual((await readPage(other.get("/dashboard", { "Accept-Language": "en" }))).language, "nl");
  for (const language of ["xx", "constructor", ""]) {
    strictEqual((await client.submit("/language", { language })).status, 400);
  }
  const evil = await choose(app.client(), "nl", "https://evil.example/");
  strictEqual(evil.headers.get("Location"), "/");
});

Deno.test("no page shows a text from outside the catalogs", async () => {
  const { client } = await registerVerifiedUser(app, "marked@example.com", "Zyx");
  const guest = [
    "/",
    "/login",
    "/register",
    "/forgot-password",
    "/login-code",
    "/verify-email",
    "/logout",
    "/missing",
    "/users",
  ];
  const member = [
    "/dashboard",
    "/invite",
    "/profile",
    "/uploads",
    "/settings/email",
    "/settings/password",
    "/settings/sign-in-methods",
    "/settings/sessions",
    "/settings/activity",
    "/settings/tokens",
    "/settings/tokens/new",
    "/settings/language",
    "/settings/data",
    "/close-account",
  ];
  const admin = await registerAdmin(app, "marked-admin@example.com", "Zyx");
  const administration = [
    "/admin",
    "/admin/setup",
    "/admin/users",
    `/admin/users/${admin.id}`,
    `/admin/users/${admin.id}/suspend`,
    "/admin/emails",
    "/admin/webhooks",
  ];
  for (const [caller, paths] of [[app.client(), guest], [client, member], [admin.client, administration]] as const) {
    for (const path of paths) {
      const html = await (await caller.get(path, { ...IN_MARKER, Accept: "text/html" })).text();
      match(html, /<html lang="nl"/, path);
      // Admins read the kinds of events as the audit log has them.
      deepStrictEqual(unmarked(html.replaceAll(/<code>[^<]*<\/code>/g, "")), [], path);
    }
  }
});

Deno.test("errors of fields and emails are in the language of the request", async () => {
  const { email } = await registerVerifiedUser(app, "mailed@example.com");
  const guest = app.client();
  guest.cookies.set("language", MARKER);
  const refused = await (await guest.submit("/register", { email: "x", password: "short" })).text();
  deepStrictEqual(unmarked(refused), []);
  await guest.submit("/forgot-password", { email });
  await app.deliverMails();
  match(app.mails.at(-1)!.subject, /^⟦Reset your Foyer password⟧$/);
});

Deno.test("no email shows a text from outside the catalogs", () => {
  const language = app.services.languages.byTag.get(MARKER)!;
  for (const kind of MAIL_KINDS) {
    const { subject, html, text } = exampleMail(kind, { baseUrl: "https://foyer.test", language });
    match(subject, /^⟦.*⟧$/);
    match(html, /<html lang="nl" dir="ltr">/);
    deepStrictEqual(unmarked(html), [], kind);
    deepStrictEqual(unmarkedIn(text.split("\n")), [], kind);
  }
});

Deno.test("no error of a field is a text from outside the catalogs", () => {
  const texts = formTexts(app.services.languages.byTag.get(MARKER)!);
  const parameters = { min: 2, max: 3, by: 1, values: ["7"], domains: ["a.b"], expected: "7", received: "8" };
  const rules = [...Object.keys(texts.texts), ...Object.keys(texts.newPassword!.kinds), "object"];
  const problems = Object.fromEntries(
    rules.map((rule) => [rule, [{ rule, ...parameters }]]),
  ) as object as FieldProblems;
  const entered = Object.fromEntries(rules.map((rule) => [rule, "entered"]));
  const empty = Object.fromEntries(
    [...Object.keys(texts.fillIn), "other"].map((field) => [field, [{ rule: "required" }]]),
  );
  for (const errors of [fieldErrors(texts, problems, entered), fieldErrors(texts, empty as FieldProblems, {})]) {
    ok(Object.keys(errors).length > 8);
    for (const [field, found] of Object.entries(errors)) {
      for (const text of found) match(text, /^⟦/, field);
      deepStrictEqual(unmarkedIn(found), [], field);
    }
  }
});
