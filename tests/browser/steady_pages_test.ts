import { deepStrictEqual } from "node:assert/strict";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { creationOptions } from "../support/app/passkeys.ts";
import { SoftwareAuthenticator } from "../support/app/software_authenticator.ts";
import { type Page, withPage } from "../support/browser/browser.ts";
import { openSharedSite } from "../support/browser/shared_site.ts";
import { populate } from "../support/browser/population.ts";
import { ALL_PAGES, sitePages } from "../support/browser/site_pages.ts";

const site = await openSharedSite(ALL_PAGES);
/** Passkeys do not work at an IP address. */
const url = site.url.replace("127.0.0.1", "localhost");
const PATHS =
  /^\/(login|register|forgot-password|reset-password|verify-email|second-factor|reauthenticate|logout|docs)/;
const pages = sitePages(await populate(site.app)).filter(({ path, prepare }) => PATHS.test(path) && !prepare);
const member = await registerVerifiedUser(site.app, "steady@example.com");
const credential = await new SoftwareAuthenticator(url).create(await creationOptions(member.client));
await member.client.send("POST", "/api/passkeys", { name: "Phone", credential });

for (const { name, path, isMember, cookies = isMember ? Object.fromEntries(member.client.cookies) : {} } of pages) {
  Deno.test(`on the page ${name}, nothing moves when its scripts arrive late`, async () => {
    await withPage(site.browser, async (page) => {
      await page.context().addCookies(Object.entries(cookies).map(([name, value]) => ({ name, value, url })));
      let letScriptsPass = () => {};
      const isPainted = new Promise<void>((resolve) => letScriptsPass = resolve);
      await page.route(/\.js(\?|$)/, async (route) => {
        await isPainted;
        await route.continue();
      });
      await page.goto(url + path, { waitUntil: "commit" });
      await page.getByRole("contentinfo").waitFor();
      await twoFrames(page);
      letScriptsPass();
      await page.waitForLoadState("networkidle");
      await twoFrames(page);
      deepStrictEqual(await movedElements(page), []);
    });
  });
}

/** Waits until the page has been painted. */
async function twoFrames(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** Lists the elements that the page has moved since it was painted first. */
async function movedElements(page: Page): Promise<string[]> {
  return await page.evaluate(async () => {
    type Shift = PerformanceEntry & { sources: { node: Element | null }[] };
    const shifts = await new Promise<Shift[]>((resolve) => {
      const observer = new PerformanceObserver((list) => resolve(list.getEntries() as Shift[]));
      observer.observe({ type: "layout-shift", buffered: true });
      setTimeout(() => resolve(observer.takeRecords() as Shift[]), 50);
    });
    return shifts.flatMap(({ sources }) => sources.map(({ node }) => node?.outerHTML.slice(0, 80) ?? "gone"));
  });
}
