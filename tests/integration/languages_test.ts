import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { exampleMail } from "../../lib/mail/examples.ts";
import { MAIL_KINDS } from "../../lib/mail/kinds.ts";
import { readTexts, textFiles, type TextTree } from "../../lib/texts/compiler/text_files.ts";
import { PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import type { TestClient } from "../support/app/test_client.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const ENGLISH = new URL("../../lib/texts/en/", import.meta.url);
/** A language of this test: the English texts in brackets. */
const MARKER = "nl";

const folder = await Deno.makeTempDir({ prefix: "foyer-texts-" });
for (const file of textFiles(ENGLISH)) {
  const path = `${folder}/${MARKER}/${file}`;
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  await Deno.writeTextFile(path, JSON.stringify(marked(readTexts(ENGLISH, file))));
}
const app = await openSharedTestApp({ TEXTS_DIR: folder });
Deno.test.afterAll(() => Deno.remove(folder, { recursive: true }));
const IN_MARKER = { "Accept-Language": "nl-BE,nl;q=0.9,en;q=0.5" };

function marked(texts: TextTree): TextTree {
  return Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, typeof text === "string" ? `⟦${text}⟧` : marked(text)]),
  );
}

/** What stands outside of texts: names, addresses and data. */
const DATA =
  /\bFoyer\b|\d+ maart 2026(?: om)?|Google|Ada Lovelace|Zyx|foyer_\S+|English|Deutsch|Nederlands|https?:\/\/\S+|\/api\/\S+|\S+@\S+|\bUTC\b|[A-Z]\w+ on (?:Mac|Windows)/g;
/** A text from the catalog, which may contain others. */
const MARKED = /⟦(?:[^⟦⟧]|⟦[^⟦⟧]*⟧)*⟧/g;

/** Returns the texts of a page that no catalog has. */
function unmarked(html: string): string[] {
  const body = withoutReferences(html).replaceAll(/<(script|style)[\s\S]*?<\/\1>/g, "").replaceAll(
    /<!--[\s\S]*?-->/g,
    "",
  );
  const attributes = [...body.matchAll(/ (?:aria-label|alt|title|placeholder)="([^"]*)"/g)].map(([, text]) => text);
  const [, description = ""] = /<meta name="description" content="([^"]*)"/.exec(body) ?? [];
  const texts = body.replaceAll(/<\/?(?:a|bdi|code|strong|time)\b[^>]*>/g, "").split(/<[^>]*>/);
  return [...texts, ...attributes, description]
    .map((text) => text.replaceAll(MARKED, "").replaceAll(DATA, "").trim())
    .filter((text) => /[a-z]{3}/i.test(text));
}

/** Replaces the numbers of characters in repeated parts of pages. */
function withoutReferences(html: string): string {
  return html.replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));
}

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
    match(html, new RegExp(`<html lang="${tag}" dir="ltr">`), JSON.stringify(headers));
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
  match(await (await client.get("/dashboard")).text(), /<html lang="nl"/);
  const other = app.client();
  await other.send("POST", "/auth/login", { email, password: PASSWORD });
  match(await (await other.get("/dashboard", { "Accept-Language": "en" })).text(), /<html lang="nl"/);
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
  for (const [caller, paths] of [[app.client(), guest], [client, member]] as const) {
    for (const path of paths) {
      const html = await (await caller.get(path, { ...IN_MARKER, Accept: "text/html" })).text();
      match(html, /<html lang="nl"/, path);
      deepStrictEqual(unmarked(html), [], path);
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
  while (await app.deliverMails() > 0);
  match(app.mails.at(-1)!.subject, /^⟦Reset your Foyer password⟧$/);
});

Deno.test("no email shows a text from outside the catalogs", () => {
  const language = app.services.languages.byTag.get(MARKER)!;
  for (const kind of MAIL_KINDS) {
    const { subject, html } = exampleMail(kind, { baseUrl: "https://foyer.test", language });
    match(subject, /^⟦.*⟧$/);
    match(html, /<html lang="nl" dir="ltr">/);
    deepStrictEqual(unmarked(html), [], kind);
  }
});
