import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { axeFindingsAtAllSizes } from "./axe.ts";
import { misfits } from "./fit.ts";
import { openVisits } from "./page_visit.ts";
import { populate } from "./population.ts";
import { atHostName, openSharedSite } from "./shared_site.ts";
import { ALL_PAGES, sitePages } from "./site_pages.ts";

/** Narrow, because texts wrap most there, and long, so that all of the page is seen to keep still. */
const PHONE = { width: 320, height: 2000 };

/**
 * Registers a test for each page in a language. every_page_test.ts and every_page_and_size_test.ts check what does not
 * depend on it: markup, names of controls, keys and forced colors. They also check the states into which someone has to
 * bring a page: they use the same parts and styles, and reaching them takes most of the time.
 */
export async function testPagesIn(language: string): Promise<void> {
  const site = await openSharedSite(atHostName(ALL_PAGES));
  const pages = sitePages(await populate(site.app)).filter(({ prepare }) => !prepare);
  const visitPage = await openVisits(site, { locale: language, viewport: PHONE });
  const passedLooks = new Set<string>();
  const { name } = site.app.services.languages.byTag.get(language)!;
  for (const sitePage of pages) {
    Deno.test(`${name}: the page ${sitePage.name} has no faults in any size and with any colors`, async () => {
      await visitPage(sitePage, async (page) => {
        strictEqual(await page.evaluate(() => document.documentElement.lang), language);
        deepStrictEqual(await axeFindingsAtAllSizes(page, passedLooks), []);
        deepStrictEqual(await misfits(page), []);
      });
    });
  }
}
