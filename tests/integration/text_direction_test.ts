import { deepStrictEqual, match, ok } from "node:assert/strict";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { registerAdmin } from "../support/app/admins.ts";
import { readPage } from "../support/app/page_reader.ts";
import { BASE_URL, openSharedTestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";
import { populate } from "../support/browser/population.ts";
import { ALL_PAGES, sitePages } from "../support/browser/site_pages.ts";
import { withFailingDatabase } from "../support/database/failing_database.ts";

const app = await openSharedTestApp(ALL_PAGES);

Deno.test("in Arabic, fields of addresses, passwords and codes run from left to right", async () => {
  const { client } = await registerVerifiedUser(app, "direction@example.com");
  let fields = 0;
  for (const { name, path, isMember, cookies = {}, failure } of sitePages(await populate(app))) {
    const visitor = app.client();
    const own = isMember ? Object.fromEntries(client.cookies) : cookies;
    for (const [key, value] of Object.entries({ ...own, language: "ar" })) if (value) visitor.cookies.set(key, value);
    const html = await withFailingDatabase(app, failure, async () => await (await visitor.get(path)).text());
    match(html, /<html lang="ar" dir="rtl">/, name);
    const inputs = html.match(/<input[^>]* (?:type="(?:email|password|url)"|inputmode=)[^>]*>/g) ?? [];
    deepStrictEqual(inputs.filter((input) => !input.includes(' dir="ltr"')), [], name);
    fields += inputs.length;
  }
  ok(fields > 20, `${fields} fields`);
});

Deno.test("what the API page says in English is in English for browsers too, and runs from left to right", async () => {
  const reader = app.client();
  reader.cookies.set("language", "ar");
  const mains = [];
  for (const address of ["/docs", "/docs?section=Account", "/docs?section=Administration"]) {
    const html = await (await reader.get(address)).text();
    mains.push(html.slice(html.indexOf("<main"), html.indexOf(address === "/docs" ? 'id="errors"' : "<footer")));
  }
  const main = mains.join("");
  const elements = main.replaceAll(/<(code|pre|strong)\b[^>]*>.*?<\/\1>/gs, "").match(
    /<(?:h2|h3|p|dd|a|span)\b[^>]*>[^<]*/g,
  )!;
  const english = elements.filter((element) => /[a-z]{3,} [a-z]{3,}/.test(element.split(">")[1]));
  ok(english.length > 100, `${english.length} elements`);
  deepStrictEqual(english.filter((element) => !/lang="en" dir="ltr"/.test(element)), []);
});

/** What an Arabic page scrambles unless it is isolated: it begins or ends with what has no direction of its own. */
const NAME = "Sammy Davis Jr.";
const ADDRESS = "2026.17@example.com";
const [ADMIN_NAME, ADMIN_ADDRESS] = ["4. Admin Jr.", "3.admin@example.com"];
const FILE = "1. report (final).pdf";
const OWN_PAGES = [
  ...["/", "/users", "/dashboard", "/uploads", "/profile", "/close-account", "/reauthenticate?next=%2Fprofile"],
  ...["email", "password", "sessions", "activity", "data", "tokens", "apps"].map((page) => `/settings/${page}`),
];
/** Elements whose content is isolated, or is not shown. */
const ISOLATING = "bdi, code, pre, textarea, option, script, style, title";

Deno.test("in Arabic, every name, address and file name is isolated", async () => {
  const { client, id } = await registerVerifiedUser(app, ADDRESS, NAME);
  const admin = await registerAdmin(app, ADMIN_ADDRESS, ADMIN_NAME);
  const form = new FormData();
  form.append("file", new File(["hello"], FILE, { type: "text/plain" }));
  await client.request("/uploads", { method: "POST", body: form, headers: { Origin: BASE_URL } });
  const mixed: string[] = [];
  let shown = 0;
  const read = async (reader: TestClient, path: string) => {
    reader.cookies.set("language", "ar");
    const response = await reader.get(path);
    ok(response.status < 400, `${path}: ${response.status}`);
    const texts = (await readPage(response)).textsOutside(ISOLATING);
    shown += texts.length;
    mixed.push(...texts.filter(isMixed).map((text) => `${path}: ${text}`));
  };
  for (const path of OWN_PAGES) await read(client, path);
  for (const path of [`/users/${id}`, `/verify-email?email=${encodeURIComponent(ADDRESS)}`]) await read(client, path);
  for (const path of ["", "/users", `/users/${id}`, "/emails", "/events", "/apps"]) {
    await read(admin.client, `/admin${path}`);
  }
  for (const act of ["suspend", "delete", "promote"]) await read(admin.client, `/admin/users/${id}/${act}`);
  deepStrictEqual(mixed, []);
  ok(shown > 300, `${shown} texts`);
});

/** Whether a text, without what it isolates itself, has a name, an address or a file name in it. */
function isMixed(text: string): boolean {
  const rest = text.replaceAll(/\u2068[^\u2069]*\u2069/g, "");
  return [NAME, ADDRESS, FILE, ADMIN_NAME, ADMIN_ADDRESS].some((value) => rest.includes(value));
}
