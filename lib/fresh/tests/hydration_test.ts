import { Builder } from "fresh/dev";
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { launch, openPage } from "./browser.ts";
import { app } from "./fixture/main.ts";
import { describeKinds, kinds } from "./fixture/shared/kinds.ts";

const text = (page: Page, selector: string) => page.locator(selector).textContent();

/** Waits until an element says something. */
async function expectText(page: Page, selector: string, expected: string): Promise<void> {
  await page.waitForFunction(
    ([selector, expected]) => document.querySelector(selector)?.textContent === expected,
    [selector, expected] as const,
  ).catch(async () => assert.equal(await text(page, selector), expected));
}

async function eachCounts(page: Page): Promise<void> {
  await page.click("#a");
  await page.click("#b");
  await page.click("#b");
  await page.click("#c");
  // a and b were given the same signal, c its own.
  await expectText(page, "#a", "4");
  await expectText(page, "#b", "4");
  await expectText(page, "#c", "6");
  assert.equal(await text(page, "#c-fixed"), "7");
  await page.waitForFunction(() => document.title === "Count 6");
}

async function slotsLive(page: Page): Promise<void> {
  assert.equal(await text(page, "em.server"), "from the server");
  await page.click("#deep");
  await page.click("#first");
  await expectText(page, "#deep", "3");
  await expectText(page, "#first", "3");
  assert.match(await text(page, "#outside") ?? "", /^outside\s*3$/);
  const field = await page.$eval("#field", (e) => {
    const { checked, disabled, draggable } = e as HTMLInputElement;
    return { checked, disabled, draggable };
  });
  assert.deepEqual(field, { checked: true, disabled: true, draggable: false });
  // Taken out and put back, the content is the same and lives on.
  await page.click("#outer");
  await page.waitForSelector("em.server", { state: "detached" });
  await page.click("#outer");
  assert.equal(await text(page, "em.server"), "from the server");
  await page.click("#deep");
  await expectText(page, "#deep", "4");
  // Content that was not shown at first, and what it holds.
  await page.click("#closed");
  await expectText(page, "#closed-section i", "late");
  await page.click("#late");
  await page.click("#late-count");
  await expectText(page, "#late-count", "5");
  await expectText(page, "#first", "5");
}

async function propsArrive(page: Page): Promise<void> {
  await expectText(page, "#kinds", describeKinds(kinds()).join("\n"));
  assert.match(await text(page, "#hostile") ?? "", /^<\/script><script>.*\u2028 ' " \\$/);
  assert.equal(await page.title(), "Fixture");
}

async function packagesWork(page: Page): Promise<void> {
  await expectText(page, "#problem", "too short");
  await page.fill("input[name=name]", "Ann");
  await expectText(page, "#problem", "fine");
  await page.fill("input[name=name]", "Annabel");
  await expectText(page, "#problem", "too long");
  await page.click("#local");
  await expectText(page, "#local", "on");
}

async function nothingToDo(page: Page): Promise<void> {
  assert.equal(await text(page, "h1"), "No island");
  assert.equal(await page.locator("script").count(), 0);
}

async function othersSurvive(page: Page): Promise<void> {
  await page.click("#whole");
  await expectText(page, "#whole", "2");
}

const PAGES: [path: string, what: string, check: (page: Page) => Promise<void>][] = [
  ["/", "has no script", nothingToDo],
  ["/counters", "several instances, shared and computed signals, Head", eachCounts],
  ["/slots", "nested islands, content of the server, templates", slotsLive],
  ["/props", "every kind of prop", propsArrive],
  ["/torn", "an island that the HTML parser tears apart", othersSurvive],
  ["/form", "packages, schemas and islands beside routes", packagesWork],
];

Deno.test("islands in the browser", async (t) => {
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
        assert.equal(problems.length, path === "/torn" ? 1 : 0, problems.join("\n"));
        await page.close();
      });
    }
  } finally {
    await browser.close();
  }
});
