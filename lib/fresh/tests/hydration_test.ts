import { Builder } from "fresh/dev";
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import type { Page } from "playwright-core";
import { launch, openPage } from "./browser.ts";
import { app } from "./fixture/main.ts";
import { describeKinds, kinds } from "./fixture/shared/kinds.ts";

const text = (page: Page, selector: string) => page.locator(selector).textContent();

/** Waits until an element has the expected text. */
async function expectText(page: Page, selector: string, expected: string): Promise<void> {
  await page.waitForFunction(
    ([selector, expected]) => document.querySelector(selector)?.textContent === expected,
    [selector, expected] as const,
  ).catch(async () => strictEqual(await text(page, selector), expected));
}

async function checkCounters(page: Page): Promise<void> {
  await page.click("#a");
  await page.click("#b");
  await page.click("#b");
  await page.click("#c");
  // a and b share a signal; c has its own.
  await expectText(page, "#a", "4");
  await expectText(page, "#b", "4");
  await expectText(page, "#c", "6");
  strictEqual(await text(page, "#c-fixed"), "7");
  await page.waitForFunction(() => document.title === "Count 6");
}

async function checkSlots(page: Page): Promise<void> {
  strictEqual(await text(page, "em.server"), "from the server");
  await page.click("#deep");
  await page.click("#first");
  await expectText(page, "#deep", "3");
  await expectText(page, "#first", "3");
  match(await text(page, "#outside") ?? "", /^outside\s*3$/);
  const field = await page.$eval("#field", (e) => {
    const { checked, disabled, draggable } = e as HTMLInputElement;
    return { checked, disabled, draggable };
  });
  deepStrictEqual(field, { checked: true, disabled: true, draggable: false });
  // Content that is removed and added again is unchanged and still interactive.
  await page.click("#outer");
  await page.waitForSelector("em.server", { state: "detached" });
  await page.click("#outer");
  strictEqual(await text(page, "em.server"), "from the server");
  await page.click("#deep");
  await expectText(page, "#deep", "4");
  // Content that was not rendered at first, and the islands inside it.
  await page.click("#closed");
  await expectText(page, "#closed-section i", "late");
  await page.click("#late");
  await page.click("#late-count");
  await expectText(page, "#late-count", "5");
  await expectText(page, "#first", "5");
}

async function checkProps(page: Page): Promise<void> {
  await expectText(page, "#kinds", describeKinds(kinds()).join("\n"));
  match(await text(page, "#hostile") ?? "", /^<\/script><script>.*\u2028 ' " \\$/);
  strictEqual(await page.title(), "Fixture");
}

async function checkPackages(page: Page): Promise<void> {
  await expectText(page, "#problem", "too short");
  await page.fill("input[name=name]", "Ann");
  await expectText(page, "#problem", "fine");
  await page.fill("input[name=name]", "Annabel");
  await expectText(page, "#problem", "too long");
  await page.click("#local");
  await expectText(page, "#local", "on");
}

async function checkNoScript(page: Page): Promise<void> {
  strictEqual(await text(page, "h1"), "No island");
  strictEqual(await page.locator("script").count(), 0);
}

async function checkOtherIsland(page: Page): Promise<void> {
  await page.click("#whole");
  await expectText(page, "#whole", "2");
}

const PAGES: [path: string, what: string, check: (page: Page) => Promise<void>][] = [
  ["/", "no script", checkNoScript],
  ["/counters", "several instances, shared and computed signals, Head", checkCounters],
  ["/slots", "nested islands, server content, templates", checkSlots],
  ["/props", "every kind of prop", checkProps],
  ["/torn", "other islands work although the HTML parser splits one", checkOtherIsland],
  ["/form", "npm packages, schemas, and islands in the routes folder", checkPackages],
];

Deno.test("islands work in the browser", async (t) => {
  const apply = await new Builder({ root: `${import.meta.dirname}/fixture` }).build({ snapshot: "memory" });
  apply(app);
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.handler());
  const browser = await launch();
  try {
    for (const [path, what, check] of PAGES) {
      await t.step(`${path}: ${what}`, async () => {
        const { page, problems } = await openPage(browser);
        await page.goto(`http://127.0.0.1:${server.addr.port}${path}`);
        await check(page);
        strictEqual(problems.length, path === "/torn" ? 1 : 0, problems.join("\n"));
        await page.close();
      });
    }
  } finally {
    await browser.close();
  }
});
