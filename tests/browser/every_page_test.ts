import { deepStrictEqual, ok } from "node:assert/strict";
import { type Page, withPage } from "../support/browser/browser.ts";
import { axeFindings } from "../support/browser/axe.ts";
import { withFailingDatabase } from "../support/database/failing_database.ts";
import { markupProblems } from "../support/browser/markup.ts";
import { openSharedSite } from "../support/browser/shared_site.ts";
import { populate } from "../support/browser/population.ts";
import { ALL_PAGES, sitePages } from "../support/browser/site_pages.ts";

const site = await openSharedSite(ALL_PAGES);
const population = await populate(site.app);
const SCRIPT_MAX_BYTES = 19_200;
/** The buttons that show passwords, and passkeys. */
const LOGIN_SCRIPT_MAX_BYTES = 2500;
/** The buttons that copy examples. */
const DOCS_SCRIPT_MAX_BYTES = 600;

for (const { name, path, isMember, cookies = {}, prepare, status, failure, isOffline } of sitePages(population)) {
  Deno.test(`the page ${name} has no faults, in light and dark mode`, async () => {
    await withPage(site.browser, async (page) => {
      if (isMember) await site.logIn(page.context(), `${name}@example.com`, { isVerified: name !== "dashboard" });
      const own = Object.entries(cookies).filter(([, value]) => value !== "");
      await page.context().addCookies(own.map(([name, value]) => ({ name, value, url: site.url })));
      const failed: string[] = [];
      if (!isOffline) page.on("requestfailed", (request) => failed.push(request.url()));
      page.on("response", (response) => {
        if (response.status() >= 400 && response.status() !== status) failed.push(response.url());
      });
      await withFailingDatabase(site.app, failure, () => page.goto(site.url + path));
      await prepare?.(page);
      await page.waitForLoadState(); // the styles too, if it has led to another page
      await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
      deepStrictEqual(await axeFindings(page), [], "light");
      await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
      // Nothing but the colors depends on the scheme.
      deepStrictEqual(await axeFindings(page, ["color-contrast"]), [], "dark");
      deepStrictEqual(await ambiguousControls(page), []);
      deepStrictEqual(await markupProblems(await page.content()), []);
      for (const width of [320, 1600]) {
        await page.setViewportSize({ width, height: 800 });
        ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `scrolls at ${width} px`);
      }
      deepStrictEqual(failed, []);
    }, { allow: isOffline ? [/ERR_INTERNET_DISCONNECTED/] : status ? [new RegExp(`status of ${status}`)] : [] });
  });
}

Deno.test("a page without islands loads no script, and no page loads more than 19.2 kB of scripts", async () => {
  const sizes: Record<string, number> = {};
  await withPage(site.browser, async (page) => {
    const measure = async (path: string) => {
      const scripts = new Map<string, Promise<number>>();
      page.on("response", (response) => {
        if (response.request().resourceType() === "script") scripts.set(response.url(), response.body().then(gzipSize));
      });
      await page.goto(site.url + path, { waitUntil: "networkidle" });
      sizes[path] = (await Promise.all(scripts.values())).reduce((sum, size) => sum + size, 0);
      page.removeAllListeners("response");
    };
    for (const path of ["/", "/docs", "/login", "/register", "/users"]) await measure(path);
    await site.logIn(page.context(), "sizes@example.com");
    for (const path of ["/dashboard", "/profile", "/uploads"]) await measure(path);
  });
  for (const path of ["/", "/users", "/dashboard"]) ok(sizes[path] === 0, `${path}: ${sizes[path]}`);
  ok(sizes["/login"] > 0 && sizes["/login"] < LOGIN_SCRIPT_MAX_BYTES, `/login: ${sizes["/login"]} bytes`);
  ok(sizes["/docs"] > 0 && sizes["/docs"] < DOCS_SCRIPT_MAX_BYTES, `/docs: ${sizes["/docs"]} bytes`);
  for (const [path, size] of Object.entries(sizes)) ok(size <= SCRIPT_MAX_BYTES, `${path}: ${size} bytes`);
  console.log(`scripts, gzip: ${JSON.stringify(sizes)}`);
});

/**
 * Lists inputs without a type, and names that two controls of one form share: password managers and scripts that fill
 * in forms by name could take one for the other. Options of one choice, and its buttons, share a name by design.
 */
async function ambiguousControls(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const untyped = [...document.querySelectorAll("input:not([type])")].map(({ outerHTML }) => outerHTML);
    const repeated = [...document.forms].flatMap((form) => {
      const controls = [...form.elements] as HTMLInputElement[];
      const names = controls.filter(({ name, type }) => name && !/^(radio|checkbox|submit)$/.test(type)).map((
        { name },
      ) => name);
      return names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${form.outerHTML}: ${name}`);
    });
    return [...untyped, ...repeated];
  });
}

async function gzipSize(content: Uint8Array): Promise<number> {
  const compressed = new Blob([Uint8Array.from(content)]).stream().pipeThrough(new CompressionStream("gzip"));
  return (await new Response(compressed).bytes()).length;
}
