import { deepStrictEqual, ok } from "node:assert/strict";
import { DOCUMENTED } from "../support/api/entries.ts";
import { ERRORS_OF_ANY } from "../../lib/api/reading.ts";
import { ERROR_STATUS } from "../../lib/errors/errors.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp();

Deno.test("the page /docs shows a command for every operation", async () => {
  const page = await (await app.client().get("/docs")).text();
  const [, ...sections] = page.split('<section class="card operation"');
  deepStrictEqual(sections.length, DOCUMENTED.length);
  deepStrictEqual(sections.filter((section) => !section.includes("<pre><code>curl ")), []);
});

Deno.test("the page /docs has a row for every error code, with its status and what to do, and responses lead to it", async () => {
  const page = await (await app.client().get("/docs")).text();
  const rows = page.matchAll(
    /<tr id="(\w+)"><th scope="row"><code>\1<\/code><\/th><td>(\d+)<\/td><td>.{9,}?<\/td><\/tr>/g,
  );
  deepStrictEqual([...rows].map(([, code, status]) => [code, Number(status)]), Object.entries(ERROR_STATUS));
  const [start, ...sections] = page.split('<section class="card operation"');
  const isForApps = (section: string) => section.includes("</strong> /oauth/");
  const ofAny = ERRORS_OF_ANY.map((code) => `<a href="#${code}">${code}</a>`);
  ok(ofAny.every((code) => start.includes(code)));
  deepStrictEqual(
    sections.filter((section) => ofAny.some((code) => section.includes(`<dd lang="en" dir="ltr">${code}</dd>`))),
    [],
  );
  deepStrictEqual(
    sections.filter((section) => section.includes("<code>server_error</code>") !== isForApps(section)),
    [],
  );
  const ids = new Set([...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id));
  const targets = [...page.matchAll(/<a href="#([^"]+)"/g)].map(([, target]) => target);
  deepStrictEqual(targets.filter((target) => !ids.has(target)), []);
});

Deno.test("the guide costs little more than a short page, because it is rendered once", async () => {
  const client = app.client();
  const timeOf = async (path: string) => {
    const start = performance.now();
    await (await client.get(path)).text();
    return performance.now() - start;
  };
  await timeOf("/docs");
  let [guide, short] = [Infinity, Infinity];
  // The fastest round of each: other tests that run at the same time slow down the others.
  for (let round = 0; round < 200 && guide >= 4 * short || round < 5; round++) {
    guide = Math.min(guide, await timeOf("/docs"));
    short = Math.min(short, await timeOf("/forgot-password"));
  }
  ok(guide < 4 * short, `${(guide / short).toFixed(1)} times the time of a short page`);
});
