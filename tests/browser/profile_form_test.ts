import { Buffer } from "node:buffer";
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { type Page, withPage } from "../support/browser.ts";
import { openSharedSite } from "../support/shared_site.ts";

const site = await openSharedSite();
const PHONE = { viewport: { width: 360, height: 640 } };

Deno.test("a refused save leads to its reason, also on a small screen", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "refused@example.com");
    await page.route("**/api/profile", (route) => route.fulfill({ status: 500, body: "a proxy's page" }));
    await page.getByLabel("About you").fill("Words");
    for (let attempt = 0; attempt < 2; attempt++) {
      await page.getByRole("button", { name: "Save profile" }).click();
      await page.locator(".form-message:focus").getByText("This did not work").waitFor();
      const { y } = (await page.getByRole("alert").boundingBox())!;
      ok(y >= 0 && y < PHONE.viewport.height, `the alert is at ${y}`);
    }

    await page.unroute("**/api/profile");
    const json = { message: "Validation failed", code: "VALIDATION_FAILED", details: { website: ["Must be nicer"] } };
    await page.route("**/api/profile", (route) => route.fulfill({ status: 400, json }));
    await page.getByRole("button", { name: "Save profile" }).click();
    await page.getByRole("alert").getByText("Please look at what is marked below.").waitFor();
    await page.locator("#website:focus").waitFor();
  }, { ...PHONE, allow: [/status of [45]00/] });
});

Deno.test("the summary goes with the last field that is mended", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "mended@example.com");
    await page.getByLabel("Name").fill("A");
    await page.getByLabel("Website").fill("nowhere");
    await page.getByRole("button", { name: "Save profile" }).click();
    await page.getByLabel("Name").fill("Ada");
    await page.getByLabel("Website").fill("https://example.com");
    await page.getByText("Name: Must be at least 2 characters").waitFor({ state: "detached" });
    match(await page.getByRole("alert").innerText(), /Please look at what is marked below/);
    await page.getByLabel("Name").focus();
    await page.getByRole("alert").waitFor({ state: "detached" });
  });
});

Deno.test("a press on the file field counts, though a wrong field is left by it", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "pressed@example.com");
    await page.getByLabel("Website").fill("nowhere");
    const field = page.getByLabel("Choose a picture");
    await field.scrollIntoViewIfNeeded();
    const { x, y } = (await field.boundingBox())!;
    const chooser = page.waitForEvent("filechooser");
    await page.mouse.move(x + 20, y + 4);
    await page.mouse.down();
    await page.evaluate(() => new Promise(requestAnimationFrame));
    await page.mouse.up();
    await chooser;
  });
});

Deno.test("two windows on one profile: each saves what was changed in it", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "windows@example.com");
    const other = await page.context().newPage();
    await other.goto(`${site.url}/profile`, { waitUntil: "networkidle" });
    await page.getByLabel("Where you are").fill("London");
    await save(page);
    await other.getByLabel("About you").fill("Two windows");
    await save(other);
    strictEqual(await other.getByLabel("Where you are").inputValue(), "London");
    await page.reload();
    strictEqual(await page.getByLabel("Where you are").inputValue(), "London");
    strictEqual(await page.getByLabel("About you").inputValue(), "Two windows");
  });
});

Deno.test("a save that nobody answers ends after half a minute, and says so", async () => {
  await withPage(site.browser, async (page) => {
    const timeouts = await hurry(page);
    await visit(page, "unanswered@example.com");
    await page.route("**/api/profile", () => {});
    await page.getByLabel("About you").fill("Kept");
    await page.getByRole("button", { name: "Save profile" }).click();
    await page.getByRole("alert").getByText("The server does not answer").waitFor();
    strictEqual(await page.getByLabel("About you").inputValue(), "Kept");
    await page.unroute("**/api/profile");
    await save(page);

    await page.route("**/api/upload/image", (route) => route.fulfill({ status: 500 }));
    const buffer = Buffer.from("content");
    await page.getByLabel("Choose a picture").setInputFiles({ name: "me.png", mimeType: "image/png", buffer });
    await page.getByRole("button", { name: "Save picture" }).click();
    await page.getByText("This did not work").waitFor();
    deepStrictEqual(await timeouts(), [30_000, 30_000, 0], "a file takes as long as it takes");
  }, { allow: [/status of 500/] });
});

Deno.test("who is logged out meanwhile finds the way back in, and loses nothing", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "ended@example.com");
    const cookies = await page.context().cookies();
    await page.context().clearCookies();
    await page.getByLabel("About you").fill("Kept");
    await page.getByRole("button", { name: "Save profile" }).click();
    await page.getByRole("alert").getByText("Your session has ended").waitFor();
    const [opened] = await Promise.all([
      page.waitForEvent("popup"),
      page.getByRole("link", { name: "Log in again" }).click(),
    ]);
    await opened.getByRole("heading", { name: "Log in" }).waitFor();
    await page.context().addCookies(cookies);
    await save(page);
  }, { allow: [/status of 401/] });
});

async function visit(page: Page, email: string): Promise<void> {
  await site.logIn(page.context(), email);
  await page.goto(`${site.url}/profile`, { waitUntil: "networkidle" });
}

async function save(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Save profile" }).click();
  await page.getByText("Your profile is saved.").waitFor();
}

/** Lets the time limits of requests run a hundred times as fast; gives those that were set. */
async function hurry(page: Page): Promise<() => Promise<number[]>> {
  await page.addInitScript(() => {
    const set: number[] = [];
    const { prototype } = XMLHttpRequest;
    const original = Object.getOwnPropertyDescriptor(prototype, "timeout")!;
    Object.defineProperty(prototype, "timeout", {
      set(limit: number) {
        set.push(limit);
        original.set!.call(this, limit / 100);
      },
    });
    Object.assign(globalThis, { setTimeouts: set });
  });
  return () => page.evaluate(() => (globalThis as unknown as { setTimeouts: number[] }).setTimeouts);
}
