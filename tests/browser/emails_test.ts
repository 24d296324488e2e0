import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { exampleMail } from "../../lib/mail/examples.ts";
import { MAIL_KINDS } from "../../lib/mail/kinds.ts";
import { axeFindings } from "../support/browser/axe.ts";
import { type Page, sharedBrowser, withPage } from "../support/browser/browser.ts";
import { emailMarkupProblems } from "../support/browser/markup.ts";

const LOGO = new URL("../../static/icon-192.png", import.meta.url).pathname;
const BASE_URL = "https://foyer.test";
const browser = await sharedBrowser();
Deno.test.afterAll(() => browser.close());
const EXAMPLES = MAIL_KINDS.map((kind) => ({ kind, ...exampleMail(kind, { baseUrl: BASE_URL }) }));

Deno.test("the check of an email's markup finds faults", async () => {
  const [{ html }] = EXAMPLES;
  deepStrictEqual(await emailMarkupProblems(html), []);
  for (const fault of ["<p><div>Text</div></p>", "<table><td>x</table>", '<img src="x">', "<p>Text</div>"]) {
    ok((await emailMarkupProblems(html.replace("</main>", `${fault}</main>`))).length > 0, fault);
  }
});

for (const { kind, html } of EXAMPLES) {
  Deno.test(`the email ${kind} has no faults, in light and dark mode and without its style sheet`, async () => {
    deepStrictEqual(await emailMarkupProblems(html), []);
    await withPage(browser, async (page) => {
      await show(page, html);
      deepStrictEqual(await axeFindings(page), [], "light");
      const light = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const lightTexts = await textColors(page);
      await page.emulateMedia({ colorScheme: "dark" });
      deepStrictEqual(await axeFindings(page, ["color-contrast"]), [], "dark");
      const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      deepStrictEqual([light, dark], ["rgb(250, 247, 242)", "rgb(25, 24, 21)"]);
      await page.setViewportSize({ width: 320, height: 600 });
      ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "scrolls at 320 px");
      await show(page, withoutStyles(html));
      deepStrictEqual(await axeFindings(page, ["color-contrast"]), [], "dark, without the style sheet");
      // Axe does not judge a text in the color of its surface.
      deepStrictEqual(await textColors(page), lightTexts);
    });
  });
}

Deno.test("without images, an email shows the name and no empty frame", async () => {
  await withPage(browser, async (page) => {
    await show(page, EXAMPLES[0].html, { hasImages: false });
    const { width, height } = await page.locator("img").evaluate((image) => image.getBoundingClientRect());
    deepStrictEqual([width, height], [0, 0]);
    ok(await page.getByText("Foyer", { exact: true }).isVisible());
  }, { allow: [/ERR_FAILED/] });
});

Deno.test("lists of emails show the summary, which the email itself hides", async () => {
  await withPage(browser, async (page) => {
    const { html, text } = EXAMPLES.find(({ kind }) => kind === "new_device")!;
    await show(page, html);
    const summary = page.locator("body > div").first();
    strictEqual(await summary.textContent(), text.split("\n")[0]);
    strictEqual(await summary.isVisible(), false);
  });
});

async function show(page: Page, html: string, { hasImages = true } = {}): Promise<void> {
  await page.unrouteAll();
  await page.route(`${BASE_URL}/**`, (route) => hasImages ? route.fulfill({ path: LOGO }) : route.abort());
  await page.setContent(html);
}

/** Returns the color of each text, from the top. */
function textColors(page: Page): Promise<string[]> {
  return page.locator("main :is(h1, p, th, td, span, a)").evaluateAll((elements) =>
    elements.filter(({ childNodes }) => [...childNodes].some((node) => node.nodeType === 3 && node.nodeValue?.trim()))
      .map((element) => getComputedStyle(element).color)
  );
}

function withoutStyles(html: string): string {
  return html.replace(/<style>[^]*?<\/style>/, "");
}
