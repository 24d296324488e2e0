import { deepStrictEqual, match, ok } from "node:assert/strict";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
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
  const html = await (await reader.get("/docs")).text();
  const main = html.slice(html.indexOf("<main"), html.indexOf('id="errors"'));
  const elements = main.replaceAll(/<(code|pre|strong)\b[^>]*>.*?<\/\1>/gs, "").match(
    /<(?:h2|h3|p|dd|a|span)\b[^>]*>[^<]*/g,
  )!;
  const english = elements.filter((element) => /[a-z]{3,} [a-z]{3,}/.test(element.split(">")[1]));
  ok(english.length > 100, `${english.length} elements`);
  deepStrictEqual(english.filter((element) => !/lang="en" dir="ltr"/.test(element)), []);
});
