import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { type Page, withPage } from "../support/browser/browser.ts";
import { quarters } from "../support/images/pictures.ts";
import { openSharedSite } from "../support/browser/shared_site.ts";

const site = await openSharedSite();
const PASSPORT = { name: "passport.png", mimeType: "image/png", buffer: await quarters().png().toBuffer() };

for (const javaScriptEnabled of [true, false]) {
  const scripts = javaScriptEnabled ? "with scripts" : "without scripts";
  Deno.test(`a private file is uploaded, opened by its owner, and shared until its links end, ${scripts}`, async () => {
    await withPage(site.browser, async (page) => {
      await site.logIn(page.context(), `private-${javaScriptEnabled}@example.com`);
      await page.goto(`${site.url}/uploads`, { waitUntil: "networkidle" });
      strictEqual(await page.getByLabel("Only you").isChecked(), true);
      await page.getByLabel("Choose files").setInputFiles(PASSPORT);
      if (javaScriptEnabled) {
        const uploaded = page.getByRole("list", { name: "Your uploads" });
        await uploaded.getByText("Only you").waitFor();
        strictEqual(await page.getByRole("button", { name: "Copy link" }).count(), 0);
        await uploaded.getByRole("button", { name: "Share passport.png" }).click();
      } else {
        await page.getByRole("button", { name: "Upload" }).click();
        const files = page.getByRole("list", { name: "Your files" });
        await files.getByText("Only you").waitFor();
        strictEqual(await page.getByRole("button", { name: "Copy link" }).count(), 0);
        await files.getByRole("link", { name: "Share passport.png" }).click();
      }
      await page.getByRole("heading", { name: "Share a private file" }).waitFor();
      const address = (await page.getByRole("link", { name: "passport.png" }).getAttribute("href"))!;
      deepStrictEqual(await (await page.request.get(address)).body(), PASSPORT.buffer);
      strictEqual(await statusForGuest(address), 404);

      await page.getByLabel("1 day").check();
      await page.getByRole("button", { name: "Create link" }).click();
      await page.getByText("Link created.").waitFor();
      const link = await page.locator("code.secret").innerText();
      ok(link.startsWith(`${address}?link=`), link);
      ok(!page.url().includes("link="), page.url());
      if (javaScriptEnabled) strictEqual(await copied(page), link);
      await asGuest(async (guest) => {
        strictEqual((await guest.goto(link))!.status(), 200);
        await guest.locator("img").waitFor();
      });
      await page.reload({ waitUntil: "networkidle" });
      strictEqual(await page.locator("code.secret").count(), 0, "it is shown once");

      await page.getByRole("button", { name: "End all links" }).click();
      await page.getByText("All links to this file have ended.").waitFor();
      strictEqual(await statusForGuest(link), 404);
      strictEqual((await page.request.get(address)).status(), 200, "the owner");
    }, { javaScriptEnabled });
  });
}

Deno.test("the choice that counts for a file is the one when it was chosen", async () => {
  await withPage(site.browser, async (page) => {
    await site.logIn(page.context(), "choice@example.com");
    await page.goto(`${site.url}/uploads`, { waitUntil: "networkidle" });
    const visibilities: string[] = [];
    await page.route("**/api/upload/presign", async (route) => {
      visibilities.push(route.request().postDataJSON().visibility);
      await route.fulfill({ status: 503, json: { code: "UNAVAILABLE" } });
    });
    await page.getByLabel("Choose files").setInputFiles(PASSPORT);
    await page.getByText("Private files can’t be uploaded right now. Try again later.").waitFor();
    await page.getByLabel("Anyone with the link").check();
    await page.getByLabel("Choose files").setInputFiles({ ...PASSPORT, name: "flyer.txt" });
    await page.getByText("The server is busy. Try again shortly.").waitFor();
    await page.getByRole("button", { name: "Retry passport.png" }).click();
    await page.getByRole("button", { name: "Retry passport.png" }).waitFor();
    strictEqual(visibilities.join(), "private,public,private");
  }, { allow: [/status of 503/] });
});

async function copied(page: Page): Promise<string> {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByText("Link copied").waitFor();
  return await page.evaluate(() => navigator.clipboard.readText());
}

/** Opens a page in a browser of someone who is not logged in. */
async function asGuest(act: (page: Page) => Promise<void>): Promise<void> {
  const context = await site.browser.newContext();
  await act(await context.newPage()).finally(() => context.close());
}

async function statusForGuest(url: string): Promise<number> {
  const response = await fetch(url);
  await response.body?.cancel();
  return response.status;
}
