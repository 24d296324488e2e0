import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { type Page, withPage } from "../support/browser/browser.ts";
import { openSharedSite } from "../support/browser/shared_site.ts";

const { url, browser } = await openSharedSite();
const NAME = "Copy: Log in";
const SIGN_IN = `${url}/docs?section=Sign-in`;

Deno.test("a button of /docs copies the example, says so to screen readers, and does it with the keyboard", async () => {
  await withPage(browser, async (page) => {
    await page.goto(`${SIGN_IN}#logIn`);
    strictEqual(await page.getByRole("status").textContent(), "");
    await page.getByRole("button", { name: NAME }).first().focus();
    await page.keyboard.press("Enter");
    await assertCopied(page);
    strictEqual(await page.evaluate(() => navigator.clipboard.readText()), await exampleOf(page));
  }, { permissions: ["clipboard-read", "clipboard-write"] });
});

Deno.test("the response of an example has a button of its own, once it is open", async () => {
  await withPage(browser, async (page) => {
    await page.goto(`${SIGN_IN}#logIn`);
    const buttons = page.locator("#logIn").getByRole("button", { name: NAME });
    strictEqual(await buttons.count(), 1);
    await page.locator("#logIn summary").click();
    await buttons.nth(1).click();
    await assertCopied(page);
    match(await page.evaluate(() => navigator.clipboard.readText()), /^\{\n {2}"success": true/);
  }, { permissions: ["clipboard-read", "clipboard-write"] });
});

Deno.test("where the browser refuses the clipboard to the page, the button still copies", async () => {
  await withPage(browser, async (page) => {
    await page.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
    await page.goto(`${SIGN_IN}#logIn`);
    await page.getByRole("button", { name: NAME }).first().click();
    await assertCopied(page);
    strictEqual(await page.evaluate(() => getSelection()!.toString()), await exampleOf(page));
  });
});

Deno.test("where the browser cannot copy at all, the example is selected, and the button says how to copy it", async () => {
  await withPage(browser, async (page) => {
    await page.addInitScript(() => {
      Object.defineProperty(navigator, "clipboard", { value: undefined });
      document.execCommand = () => false;
    });
    await page.goto(`${SIGN_IN}#logIn`);
    await page.getByRole("button", { name: NAME }).first().click();
    await page.getByRole("status").getByText("Selected. Press Ctrl+C").waitFor();
    strictEqual(await page.evaluate(() => getSelection()!.toString()), await exampleOf(page));
  });
});

Deno.test("without scripts, the only button of /docs is that of its search, which works", async () => {
  await withPage(browser, async (page) => {
    await page.goto(`${url}/docs`);
    deepStrictEqual(await page.locator("main button").allTextContents(), ["Search"]);
    await page.getByRole("searchbox").fill("log in");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("link", { name: "Log in", exact: true }).and(page.locator("main a")).click();
    await page.waitForURL(`${SIGN_IN}#logIn`);
  }, { javaScriptEnabled: false });
});

Deno.test("without scripts, tabs of /docs say how to log in", async () => {
  await withPage(browser, async (page) => {
    await page.goto(`${url}/docs`);
    const ways = page.getByRole("group", { name: "How to log in" });
    for (
      const [name, command] of [["App", "openid-configuration"], ["API token", "Bearer"], ["Session", "/auth/login"]]
    ) {
      await ways.getByRole("radio", { name }).check();
      const shown = await ways.locator("pre").filter({ visible: true }).allTextContents();
      deepStrictEqual(shown.map((text) => text.includes(command)), [true]);
    }
  }, { javaScriptEnabled: false });
});

Deno.test("on wide screens the contents of /docs stay in view, and the example is beside the text", async () => {
  await withPage(browser, async (page) => {
    await page.goto(`${SIGN_IN}#logIn`);
    const contents = page.getByRole("navigation", { name: "Contents" });
    ok(Math.abs((await contents.boundingBox())!.y) < 1);
    strictEqual(await contents.locator("[open] summary").textContent(), "Sign-in");
    const [text, example] = await page.locator("#logIn > div").all();
    strictEqual((await text.boundingBox())!.y, (await example.boundingBox())!.y);
  }, { viewport: { width: 1280, height: 800 } });
});

Deno.test("on paper, /docs shows the responses, and neither buttons nor contents", async () => {
  await withPage(browser, async (page) => {
    await page.emulateMedia({ media: "print" });
    await page.goto(SIGN_IN);
    ok(await page.getByText('"success": true').first().isVisible());
    deepStrictEqual(await page.locator("main :is(button, nav)").filter({ visible: true }).all(), []);
    ok(await page.locator("main button").count() > 0);
  });
});

/** Fails unless the page says that it has copied something. */
async function assertCopied(page: Page): Promise<void> {
  await page.getByRole("status").getByText("Copied", { exact: true }).waitFor();
  ok(await page.locator("#logIn button").getByText("Copied", { exact: true }).isVisible());
}

/** The command that the page shows for a login. */
async function exampleOf(page: Page): Promise<string | null> {
  return await page.locator("#logIn pre").first().textContent();
}
