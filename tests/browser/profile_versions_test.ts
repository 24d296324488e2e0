import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { type Page, withPage } from "../support/browser/browser.ts";
import { quarters } from "../support/images/pictures.ts";
import { openSharedSite } from "../support/browser/shared_site.ts";

const site = await openSharedSite();
const PHOTO = { name: "me.png", mimeType: "image/png", buffer: await quarters().png().toBuffer() };

Deno.test("a page does not change the profile of another user who has logged in since, with scripts", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "first-in-tab@example.com");
    await page.context().clearCookies();
    await site.logIn(page.context(), "second-in-tab@example.com", { name: "Second" });
    await page.getByLabel("About you").fill("The words of the first");
    for (let tries = 0; tries < 2; tries++) {
      await page.getByRole("button", { name: "Save profile" }).click();
      await page.locator(".form-message:focus").getByText("You’re now logged in as someone else").waitFor();
    }
    strictEqual(await page.getByLabel("About you").inputValue(), "The words of the first");
    await page.getByLabel("Choose a photo").setInputFiles(PHOTO);
    await page.getByRole("button", { name: "Upload photo" }).click();
    await page.locator(".field-error").getByText("You’re now logged in as someone else").waitFor();
    const { user } = await (await page.request.get(`${site.url}/api/profile`)).json();
    deepStrictEqual([user.name, user.bio, user.avatar], ["Second", "", null]);
  }, { allow: [/status of 412/] });
});

Deno.test("a field that has changed elsewhere is not replaced without asking", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "elsewhere@example.com");
    const other = await page.context().newPage();
    await other.goto(`${site.url}/profile`, { waitUntil: "networkidle" });
    await page.getByLabel("About you").fill("From one tab");
    await save(page);
    await other.getByLabel("About you").fill("From the other tab");
    await other.getByRole("button", { name: "Save profile" }).click();
    await other.getByRole("alert").getByText("Your profile has changed since you opened this page").waitFor();
    await other.getByRole("region", { name: "How others see you" }).getByText("From one tab").waitFor();
    strictEqual(await other.getByLabel("About you").inputValue(), "From the other tab");
    await save(other);
    await page.reload();
    strictEqual(await page.getByLabel("About you").inputValue(), "From the other tab");
  }, { allow: [/status of 412/] });
});

Deno.test("the profile can be saved twice and get a photo behind a proxy that makes entity tags weak", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "weak@example.com");
    await page.route("**/api/profile", async (route) => {
      const response = await route.fetch();
      const headers = response.headers();
      await route.fulfill({ response, headers: { ...headers, etag: `W/${headers.etag}` } });
    });
    for (const bio of ["Once", "Twice"]) {
      await page.getByLabel("About you").fill(bio);
      await save(page);
    }
    await page.getByLabel("Choose a photo").setInputFiles(PHOTO);
    await page.getByRole("button", { name: "Upload photo" }).click();
    await page.getByText("Photo updated.").waitFor();
  });
});

async function visit(page: Page, email: string): Promise<void> {
  await site.logIn(page.context(), email);
  await page.goto(`${site.url}/profile`, { waitUntil: "networkidle" });
}

async function save(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Save profile" }).click();
  await page.getByText("Profile saved.").waitFor();
}
