import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { openAccountMenu, type Page, withPage } from "../support/browser/browser.ts";
import { openSharedSite } from "../support/browser/shared_site.ts";

const site = await openSharedSite();
/** The widths of phones, and of a desktop. */
const WIDTHS = [320, 375, 1280];
const HEADER_MAX_HEIGHT = 64;

for (const width of WIDTHS) {
  Deno.test(`the header is one row at ${width} px, for guests and members`, async () => {
    await withPage(site.browser, async (page) => {
      await page.goto(`${site.url}/login`);
      strictEqual(await page.getByRole("navigation").count(), 0, "the pages for logging in need no navigation");
      await page.goto(`${site.url}/users`);
      const people = width < 480 ? [] : ["People"];
      await assertOneRow(page, ["Foyer", ...people, "Log in", "Create account"]);
      await site.logIn(page.context(), `row-${width}@example.com`, { name: "W".repeat(100) });
      await page.goto(`${site.url}/users`);
      await assertOneRow(page, ["Foyer", "People"]);
    }, { viewport: { width, height: 640 } });
  });

  Deno.test(`the account menu is inside the window at ${width} px, with text of any size`, async () => {
    await withPage(site.browser, async (page) => {
      await site.logIn(page.context(), `menu-${width}-${"x".repeat(50)}@example.com`, { name: "W".repeat(100) });
      await page.goto(`${site.url}/users`);
      await openAccountMenu(page);
      for (const size of ["100%", "200%"]) {
        await page.evaluate((size) => document.documentElement.style.fontSize = size, size);
        const { x, width: menuWidth } = (await page.locator("#account-menu").boundingBox())!;
        ok(x >= 0 && x + menuWidth <= width, `${size}: from ${x} to ${x + menuWidth} px`);
      }
    }, { viewport: { width, height: 640 } });
  });
}

Deno.test("the account menu opens by keyboard, shows whose account it is, and logs out, without scripts", async () => {
  await withPage(site.browser, async (page) => {
    await site.logIn(page.context(), "keys@example.com", { name: "Ada Lovelace" });
    await page.goto(`${site.url}/users`);
    const navigation = page.getByRole("navigation");
    ok(!await navigation.getByText("keys@example.com").isVisible(), "closed at first");
    await navigation.getByRole("link", { name: "People" }).focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await navigation.getByText("keys@example.com").waitFor();
    match(await navigation.ariaSnapshot(), /Ada Lovelace, account menu[^]*Ada Lovelace/);
    const links = await navigation.getByRole("listitem").getByRole("link").allInnerTexts();
    deepStrictEqual(links, ["Dashboard", "Your files", "View profile", "Settings", "Security"]);

    for (const _ of links) await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    strictEqual(await page.evaluate(() => document.activeElement!.outerHTML.match(/^<(\w+)/)![1]), "button");
    await page.keyboard.press("Enter");
    await page.getByText("You’ve logged out").waitFor();
  }, { javaScriptEnabled: false });
});

Deno.test("the account menu closes by Escape and by a click elsewhere, and gives the focus back", async () => {
  await withPage(site.browser, async (page) => {
    await site.logIn(page.context(), "closes@example.com");
    await page.goto(`${site.url}/users`);
    const menu = page.locator("#account-menu");
    await openAccountMenu(page);
    for (const row of await menu.locator("a, button").all()) {
      const { width, height } = (await row.boundingBox())!;
      ok(height >= 40 && width > 240, `${await row.innerText()}: ${width} x ${height} px`);
    }
    await page.keyboard.press("Tab");
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "hidden" });
    await page.locator(".account:focus").waitFor();

    await openAccountMenu(page);
    await page.getByRole("heading", { name: "People" }).click();
    await menu.waitFor({ state: "hidden" });
  }, { javaScriptEnabled: false });
});

Deno.test("the account menu closes when the Tab key leads out of it, forward and back", async () => {
  await withPage(site.browser, async (page) => {
    await site.logIn(page.context(), "tabs@example.com");
    await page.goto(`${site.url}/users`);
    const menu = page.locator("#account-menu");
    await openAccountMenu(page);
    for (const _ of await menu.locator("a, button").all()) {
      await page.keyboard.press("Tab");
      ok(await menu.isVisible());
    }
    await page.keyboard.press("Tab");
    await menu.waitFor({ state: "hidden" });
    const focused = () => page.evaluate(() => document.activeElement!.outerHTML);
    ok(await page.evaluate(() => document.activeElement!.closest("main, footer") !== null), await focused());

    // Back on its button, it is open as before. Out at the other end, it closes too.
    await page.keyboard.press("Shift+Tab");
    match(await focused(), /class="account"/);
    await menu.waitFor();
    await page.keyboard.press("Shift+Tab");
    await menu.waitFor({ state: "hidden" });
    match(await focused(), /href="\/users"/);

    await page.keyboard.press("Tab");
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "hidden" });
    match(await focused(), /class="account"/);
  }, { javaScriptEnabled: false });
});

Deno.test("guests find the people on a phone too", async () => {
  await withPage(site.browser, async (page) => {
    await page.goto(site.url);
    await page.getByRole("contentinfo").getByRole("link", { name: "People" }).click();
    await page.getByRole("heading", { name: "People" }).waitFor();
  }, { viewport: { width: 320, height: 640 } });
});

/** Fails unless the header is one row with exactly these visible links. */
async function assertOneRow(page: Page, names: string[]): Promise<void> {
  const links = page.getByRole("banner").getByRole("link").filter({ visible: true });
  deepStrictEqual(await links.allInnerTexts(), ["Skip to main content", ...names]);
  const height = await page.getByRole("banner").evaluate((header) => header.getBoundingClientRect().height);
  ok(height <= HEADER_MAX_HEIGHT, `${height} px tall`);
}
