import { deepStrictEqual, ok } from "node:assert/strict";
import { type Page, withPage } from "../support/browser/browser.ts";
import { axeFindings } from "../support/browser/axe.ts";
import { misfitsNow } from "../support/browser/fit.ts";
import { keyboardProblems } from "../support/browser/keyboard.ts";
import { markupProblems } from "../support/browser/markup.ts";
import { openVisits } from "../support/browser/page_visit.ts";
import { atHostName, openSharedSite } from "../support/browser/shared_site.ts";
import { populate } from "../support/browser/population.ts";
import { ALL_PAGES, sitePages } from "../support/browser/site_pages.ts";
import { sources } from "../support/source/sources.ts";

const site = await openSharedSite(atHostName(ALL_PAGES));
const population = await populate(site.app);
const SCRIPT_MAX_BYTES = 20_000;
/** The buttons that show passwords, and passkeys. */
const LOGIN_SCRIPT_MAX_BYTES = 2500;
/** Times as people compare them. */
const TIMES_SCRIPT_MAX_BYTES = 1200;
/** The buttons that copy examples. */
const DOCS_SCRIPT_MAX_BYTES = 600;

const visitPage = await openVisits(site, {});
const visited = new Set<string>();

for (const sitePage of sitePages(population)) {
  Deno.test(`the page ${sitePage.name} has no faults`, async () => {
    await visitPage(sitePage, async (page) => {
      visited.add(sitePage.path.split("?")[0]).add(new URL(page.url()).pathname);
      deepStrictEqual(await markupProblems(await page.evaluate(markupOfPage)), []);
      deepStrictEqual(await ambiguousControls(page), []);
      deepStrictEqual(await axeFindings(page), []);
      deepStrictEqual(await keyboardProblems(page), []);
      await page.setViewportSize({ width: 320, height: 800 });
      deepStrictEqual(await misfitsNow(page), []);
    });
  });
}

Deno.test("the pages above are all that the site has", async () => {
  const routes = new URL("../../routes/", import.meta.url);
  /** It leads to another site at once. */
  const left = /^\/continue$/;
  const missing: string[] = [];
  for await (const [path] of sources(routes)) {
    const route = path.slice(routes.pathname.length);
    if (!route.endsWith(".tsx") || /(^|\/)(_|\(_)/.test(route)) continue;
    const pathname = `/${route.replace(/\.tsx$/, "").replaceAll(/\([^)]*\)\//g, "").replace(/\/?\bindex$/, "")}`;
    const pattern = new RegExp(`^${pathname.replaceAll(/\[[^\]]+\]/g, "[^/]+")}$`);
    if (!left.test(pathname) && ![...visited].some((path) => pattern.test(path))) missing.push(pathname);
  }
  deepStrictEqual(missing, []);
});

Deno.test("a page without islands and forms loads no script, and no page loads more than 20 kB of scripts", async () => {
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
  for (const path of ["/", "/users"]) ok(sizes[path] === 0, `${path}: ${sizes[path]}`);
  ok(
    sizes["/dashboard"] > 0 && sizes["/dashboard"] < TIMES_SCRIPT_MAX_BYTES,
    `/dashboard: ${sizes["/dashboard"]} bytes`,
  );
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

/** Runs in the page. */
function markupOfPage(): string {
  return new XMLSerializer().serializeToString(document.doctype!) + document.documentElement.outerHTML;
}

async function gzipSize(content: Uint8Array): Promise<number> {
  const compressed = new Blob([Uint8Array.from(content)]).stream().pipeThrough(new CompressionStream("gzip"));
  return (await new Response(compressed).bytes()).length;
}
