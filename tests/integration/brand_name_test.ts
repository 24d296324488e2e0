import { doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { exampleMail } from "../../lib/mail/examples.ts";
import { MAIL_KINDS } from "../../lib/mail/kinds.ts";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";
import { populate } from "../support/browser/population.ts";
import { ALL_PAGES, sitePages } from "../support/browser/site_pages.ts";
import { withFailingDatabase } from "../support/database/failing_database.ts";

const app = await openSharedTestApp({
  ...ALL_PAGES,
  APP_NAME: "Acme & Notes",
  BASE_URL: "http://id.acme.test",
  BRAND_COLOR: "#c62828",
  SUPPORT_EMAIL: "help@acme.example",
});
const { config, languages } = app.services;
const pages = sitePages(await populate(app)).filter(({ path }) => path !== "/docs");
const member = await registerVerifiedUser(app, "member@acme.example", "Grace Hopper");

for (const { tag } of languages.byTag.values()) {
  Deno.test(`no page names Foyer once APP_NAME is set, in ${tag}`, async () => {
    for (const { name, path, isMember, cookies = {}, failure } of pages) {
      const own = isMember ? Object.fromEntries(member.client.cookies) : cookies;
      const visitor = visitorWith({ ...own, language: tag });
      const html = await withFailingDatabase(app, failure, async () => await (await visitor.get(path)).text());
      match(html, new RegExp(`<html lang="${tag}"`), name);
      match(html, /<title>[^<]*Acme &amp; Notes/, name);
      assertUnnamed(html, name);
    }
  });

  Deno.test(`no error page names Foyer once APP_NAME is set, in ${tag}`, async () => {
    const visitor = visitorWith({ language: tag });
    const responses = [
      await visitor.get("/users?cursor=x"),
      await visitor.submit("/uploads", {}),
      await visitor.request("/login", { method: "POST", headers: { Origin: "https://evil.example" } }),
      await visitor.request("/login", { method: "PUT" }),
      await visitor.submit("/register", { name: "", email: "x", password: "x" }),
    ];
    for (const response of responses) {
      ok(response.status >= 400);
      assertUnnamed(await response.text(), String(response.status));
    }
  });

  Deno.test(`no email names Foyer once APP_NAME is set, in ${tag}`, () => {
    const options = { baseUrl: "https://id.acme.example", brand: config.brand, language: languages.byTag.get(tag)! };
    for (const kind of MAIL_KINDS) {
      const { subject, html, text } = exampleMail(kind, options);
      match(html, /Acme &amp; Notes/, kind);
      assertUnnamed(subject + html + text, kind);
    }
  });
}

Deno.test("no email that was sent, and no file of a page, names Foyer once APP_NAME is set", async () => {
  ok(app.mails.length > 10);
  for (const { subject, html, text } of app.mails) assertUnnamed(subject + html + text, subject);
  const files = new Set(["/site.webmanifest", ...config.brand.icons!.map(({ src }) => src), config.brand.styles!]);
  for (const { path } of pages) {
    const html = await (await member.client.get(path)).text();
    for (const [, file] of html.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css)[^"]*)"/g)) files.add(file);
  }
  for (const file of files) {
    const response = await app.client().get(file.replaceAll("&amp;", "&"));
    strictEqual(response.status, 200, file);
    assertUnnamed(await response.text(), file);
  }
});

/** API tokens begin with the name in every product. */
function assertUnnamed(text: string, what: string): void {
  doesNotMatch(text.replaceAll(/foyer_[\w…]+/g, ""), /foyer/i, what);
}

function visitorWith(cookies: Record<string, string>): TestClient {
  const visitor = app.client();
  for (const [name, value] of Object.entries(cookies)) if (value !== "") visitor.cookies.set(name, value);
  return visitor;
}
