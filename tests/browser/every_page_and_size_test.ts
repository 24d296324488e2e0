import { deepStrictEqual } from "node:assert/strict";
import { axeFindingsAtAllSizes } from "../support/browser/axe.ts";
import { misfits } from "../support/browser/fit.ts";
import { forcedColorsProblems } from "../support/browser/forced_colors.ts";
import { keyboardProblems } from "../support/browser/keyboard.ts";
import { openVisits } from "../support/browser/page_visit.ts";
import { populate } from "../support/browser/population.ts";
import { atHostName, openSharedSite } from "../support/browser/shared_site.ts";
import { ALL_PAGES, sitePages } from "../support/browser/site_pages.ts";

const site = await openSharedSite(atHostName(ALL_PAGES));
const population = await populate(site.app);
const visitPage = await openVisits(site, {});

for (const sitePage of sitePages(population)) {
  Deno.test(`the page ${sitePage.name} has no faults in any size or colors`, async () => {
    await visitPage(sitePage, async (page) => {
      deepStrictEqual(await axeFindingsAtAllSizes(page), []);
      deepStrictEqual(await misfits(page), []);
      await page.setViewportSize({ width: 640, height: 800 });
      deepStrictEqual(await keyboardProblems(page), []);
      deepStrictEqual(await forcedColorsProblems(page), []);
    });
  });
}
