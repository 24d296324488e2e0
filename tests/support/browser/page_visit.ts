import { deepStrictEqual } from "node:assert/strict";
import type { BrowserContext, BrowserContextOptions, Request, Response } from "playwright-core";
import { withFailingDatabase } from "../database/failing_database.ts";
import { openWatchedPage, type Page, visitWatched, withPage } from "./browser.ts";
import type { Site } from "./shared_site.ts";
import { movedElements, openSlowly } from "./shifts.ts";
import type { SitePage } from "./site_pages.ts";

/**
 * Opens a page in its state, as its visitor, and calls `visit`. Fails if anything moves while the page loads, if a
 * request fails, or if the page reports a problem.
 */
export type VisitPage = (sitePage: SitePage, visit: (page: Page) => Promise<void>) => Promise<void>;

/**
 * Returns a function that visits pages. Those whose state is only their address share one tab and one member, because a
 * new tab starts a process, which has to compile all scripts again. Closes the tab after the last test of the file.
 */
export async function openVisits(site: Site, options: BrowserContextOptions): Promise<VisitPage> {
  const shared = await openWatchedPage(site.browser, options);
  const context = shared.page.context();
  Deno.test.afterAll(() => context.close());
  const viewport = shared.page.viewportSize()!;
  const language = options.locale ?? "en";
  await site.logIn(context, `member-${language}@example.com`);
  const memberCookies = await context.cookies();

  return async (sitePage, visit) => {
    const { name, isMember, cookies = {}, prepare, isOffline, status } = sitePage;
    const allow = isOffline ? [/ERR_INTERNET_DISCONNECTED/] : status ? [new RegExp(`status of ${status}`)] : [];
    const isShared = prepare === undefined && (!isMember || name !== "dashboard");
    const logIn = async (context: BrowserContext) => {
      if (isMember && isShared) await context.addCookies(memberCookies);
      else if (isMember) {
        await site.logIn(context, `${name}-${language}@example.com`, { isVerified: name !== "dashboard" });
      }
      const own = Object.entries(cookies).filter(([, value]) => value !== "");
      await context.addCookies(own.map(([name, value]) => ({ name, value, url: site.url })));
    };
    const visitAs = async (page: Page) => {
      await logIn(page.context());
      await visitWithoutFailures(site, sitePage, page, visit);
    };
    if (!isShared) return await withPage(site.browser, visitAs, { ...options, allow });
    await context.clearCookies();
    await shared.page.setViewportSize(viewport);
    await shared.page.emulateMedia({ colorScheme: null, reducedMotion: null, forcedColors: null });
    await visitWatched(shared, visitAs, allow);
  };
}

async function visitWithoutFailures(
  site: Site,
  { path, prepare, status, failure, isOffline }: SitePage,
  page: Page,
  visit: (page: Page) => Promise<void>,
): Promise<void> {
  const failed: string[] = [];
  const noteFailed = (request: Request) => isOffline || failed.push(request.url());
  const noteRefused = (response: Response) => {
    if (response.status() >= 400 && response.status() !== status) failed.push(response.url());
  };
  page.on("requestfailed", noteFailed);
  page.on("response", noteRefused);
  await withFailingDatabase(site.app, failure, () => openSlowly(page, site.url + path));
  deepStrictEqual(await movedElements(page), [], "moves while it loads");
  await prepare?.(page);
  await page.waitForLoadState(); // the styles too, if it has led to another page
  await visit(page);
  deepStrictEqual(failed, []);
  page.off("requestfailed", noteFailed);
  page.off("response", noteRefused);
}
