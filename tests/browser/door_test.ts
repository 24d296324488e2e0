import { deepStrictEqual, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { createBrand } from "../../lib/brand/brand.ts";
import { type Page, withPage } from "../support/browser/browser.ts";
import { openSharedSite } from "../support/browser/shared_site.ts";

const { browser, url } = await openSharedSite();

/*
 * These ask for a transition inside a page. That between two pages has the same styles, but Chromium leaves it out when
 * a page is slow, and tests are.
 */
Deno.test("leaving the door leads through it, and nothing else moves", async () => {
  await withPage(browser, async (page) => {
    await page.goto(`${url}/login`);
    ok(await page.evaluate(takesPart), "in transitions between pages");
    deepStrictEqual(await animations(page, () => document.querySelector("main")!.remove()), [
      "through ::view-transition-old(door)",
    ]);
  });
});

Deno.test("from one door to the next, nothing moves", async () => {
  await withPage(browser, async (page) => {
    await page.goto(`${url}/login`);
    deepStrictEqual(await animations(page, () => document.querySelector("h1")!.append("!")), []);
  });
});

Deno.test("where people prefer less motion, there is no transition between pages", async () => {
  await withPage(browser, async (page) => {
    await page.goto(`${url}/login`);
    strictEqual(await page.evaluate(takesPart), false);
  }, { reducedMotion: "reduce" });
});

Deno.test("a notice stands in the door, below the heading", async () => {
  await withPage(browser, async (page) => {
    await page.context().addCookies([{ name: "notice", value: "logged_out", url }]);
    await page.goto(`${url}/login`);
    const parts = await page.locator(".door > *").evaluateAll((all) =>
      all.slice(0, 3).map(({ className }) => className)
    );
    deepStrictEqual(parts, ["brand", "", "notice good"]);
    ok(await page.locator(".notice").evaluate((notice) => notice === document.activeElement), "it has the focus");
  });
});

Deno.test("a page that is not there is a closed door: without light, with the navigation", async () => {
  await withPage(browser, async (page) => {
    await page.goto(`${url}/nothing`);
    const colors = await page.locator(".door").evaluate((door) => {
      const { backgroundColor, backgroundImage } = getComputedStyle(door);
      return [backgroundColor, backgroundImage, getComputedStyle(document.querySelector("main")!, "::before").content];
    });
    deepStrictEqual(colors, ["rgb(244, 239, 231)", "none", "none"]);
    ok(await page.getByRole("navigation").getByRole("link", { name: "Log in" }).isVisible());
  }, { allow: [/status of 404/] });
});

for (const [way, css] of Object.entries({ "BRAND_STYLE=plain": "", "--arch: 0rem": ":root{--arch: 0rem}" })) {
  Deno.test(`${way} leaves a card without light, and the letters of the rest`, async () => {
    await withPage(browser, async (page) => {
      await page.goto(`${url}/login`);
      const { files } = createBrand({ name: "Foyer", style: css === "" ? "plain" : undefined }, {
        css: css || undefined,
      });
      const font = await fontOf(page);
      strictEqual(await hasCorners(page), false);
      await page.addStyleTag({ content: new TextDecoder().decode(files.get("brand.css")!.content) });
      strictEqual(await hasCorners(page), true);
      strictEqual(await page.locator("main").evaluate((main) => getComputedStyle(main, "::before").blockSize), "0px");
      const lights = await page.locator(".door").evaluate((door) =>
        getComputedStyle(door).boxShadow.match(/(?:[\d.]+px ?){4}/g)!.slice(0, 3)
      );
      deepStrictEqual(lights.map((light) => light.trim()), Array(3).fill("0px 0px 0px 0px"));
      notStrictEqual(await fontOf(page), font);
      strictEqual(await fontOf(page), await page.evaluate(() => getComputedStyle(document.body).fontFamily));
    }, { bypassCSP: true });
  });
}

Deno.test("where the system decides the colors, the door has an edge and no light on the floor", async () => {
  await withPage(browser, async (page) => {
    await page.goto(`${url}/login`);
    strictEqual(await page.locator(".door").evaluate((door) => getComputedStyle(door).borderBlockStartWidth), "1px");
    strictEqual(await page.locator("main").evaluate((main) => getComputedStyle(main, "::before").display), "none");
  }, { forcedColors: "active" });
});

/** Whether the upper corners of the door are hardly round: its edge is where the one of a card is. */
async function hasCorners(page: Page): Promise<boolean> {
  return await page.locator(".door").evaluate((door) => {
    const { left, top } = door.getBoundingClientRect();
    return document.elementFromPoint(left + 16, top + 16) === door;
  });
}

async function fontOf(page: Page): Promise<string> {
  return await page.getByRole("heading", { level: 1 }).evaluate((heading) => getComputedStyle(heading).fontFamily);
}

/** Changes the page in a transition. Returns what moves. */
async function animations(page: Page, change: () => void): Promise<string[]> {
  return await page.evaluate(async (change) => {
    await document.startViewTransition(new Function(`(${change})()`) as () => void).ready;
    return document.getAnimations().flatMap((each) =>
      each instanceof CSSAnimation ? [`${each.animationName} ${(each.effect as KeyframeEffect).pseudoElement}`] : []
    );
  }, change.toString());
}

/** Runs in the page. Whether there is a transition when it leads to another page of the site. */
function takesPart(): boolean {
  const applies = (rule: CSSRule): boolean => {
    if (rule instanceof CSSImportRule) return [...rule.styleSheet!.cssRules].some(applies);
    if (rule instanceof CSSMediaRule) return matchMedia(rule.conditionText).matches && [...rule.cssRules].some(applies);
    return rule.cssText.startsWith("@view-transition");
  };
  return [...document.styleSheets].some((sheet) => [...sheet.cssRules].some(applies));
}
