import { Buffer } from "node:buffer";
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { type Page, withPage } from "../support/browser/browser.ts";
import { openSharedSite } from "../support/browser/shared_site.ts";
import { quarters } from "../support/images/pictures.ts";

const site = await openSharedSite();
const PHOTO = { name: "me.png", mimeType: "image/png", buffer: await quarters().png().toBuffer() };
const PHONE = { viewport: { width: 360, height: 640 } };

Deno.test("a refused save scrolls to its error on a small screen", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "refused@example.com");
    await page.route("**/api/profile", (route) => route.fulfill({ status: 500, body: "a proxy's page" }));
    await page.getByLabel("About you").fill("Words");
    for (let attempt = 0; attempt < 2; attempt++) {
      await page.getByRole("button", { name: "Save profile" }).click();
      await page.locator(".form-message:focus").getByText("Something went wrong").waitFor();
      const { y } = (await page.getByRole("alert").boundingBox())!;
      ok(y >= 0 && y < PHONE.viewport.height, `the alert is at ${y}`);
    }

    await page.unroute("**/api/profile");
    const json = { message: "Validation failed", code: "VALIDATION_FAILED", details: { website: ["Must be nicer"] } };
    await page.route("**/api/profile", (route) => route.fulfill({ status: 400, json }));
    await page.getByRole("button", { name: "Save profile" }).click();
    await page.locator("#website:focus").waitFor();
    await page.locator("#website-error").waitFor();
  }, { ...PHONE, allow: [/status of [45]00/] });
});

Deno.test("the error summary disappears when only one field is left to correct", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "corrected@example.com");
    await page.getByLabel("Name").fill("A");
    await page.getByLabel("Website").fill("nowhere");
    await page.getByRole("button", { name: "Save profile" }).click();
    await page.getByLabel("Name").press("End");
    await page.keyboard.type("d");
    await page.getByText("Name: Use at least 2 characters").waitFor({ state: "detached" });
    strictEqual(await page.locator("#name-error").count(), 0);
    strictEqual(await page.getByRole("alert").count(), 0);
    strictEqual(await page.locator("#website-error").count(), 1);
    await page.getByLabel("Website").press("End");
    await page.keyboard.type("x");
    await page.locator("#website-error").waitFor({ state: "detached" });
    strictEqual(await page.getByLabel("Website").getAttribute("aria-invalid"), null);
    await page.getByLabel("Name").focus();
    await page.locator("#website-error").getByText("Enter a web address").waitFor();
  });
});

Deno.test("the field for the bio says how many characters are left, or too many", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "counter@example.com");
    const bio = page.getByLabel("About you");
    const cases = {
      "": "500 characters left",
      " Hi 😀\n": "496 characters left",
      ["x".repeat(499)]: "1 character left",
    };
    for (const [text, left] of Object.entries(cases)) {
      await bio.fill(text);
      strictEqual(await page.locator("#bio-hint").innerText(), left);
    }
    await bio.fill("x".repeat(512));
    strictEqual(await page.locator("#bio-hint").innerText(), "12 characters too many");
    await bio.blur();
    strictEqual(await page.locator("#bio-error").innerText(), "Use at most 500 characters (12 too many)");
  });
});

Deno.test("the outcome of a save disappears when the next action fails", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "outcome@example.com");
    const file = (name: string, mimeType: string) => ({ name, mimeType, buffer: Buffer.from("content") });
    const photo = page.getByLabel("Choose a photo");
    const outcome = page.getByText("Profile saved.");
    await page.getByLabel("Location").fill("London");
    await save(page);
    await photo.setInputFiles(file("me.txt", "text/plain"));
    await page.getByText("Choose a JPEG").first().waitFor();
    strictEqual(await outcome.count(), 0, "a photo of the wrong type");

    await save(page);
    await page.route("**/api/upload/image", (route) => route.fulfill({ status: 500 }));
    await photo.setInputFiles(file("me.png", "image/png"));
    strictEqual(await outcome.count(), 1);
    await page.getByRole("button", { name: "Upload photo" }).click();
    await page.getByText("Something went wrong").waitFor();
    strictEqual(await outcome.count(), 0, "an upload that fails");

    await page.context().addCookies([{ name: "notice", value: "profile_saved", url: site.url }]);
    await page.reload({ waitUntil: "networkidle" });
    strictEqual(await outcome.count(), 1, "the server's notice");
    await page.getByLabel("Website").fill("nowhere");
    await page.getByRole("button", { name: "Save profile" }).click();
    await page.locator("#website-error").waitFor();
    strictEqual(await outcome.count(), 0, "a save that fails");
  }, { allow: [/status of 500/] });
});

Deno.test("a click on the file field works while the focus is in an invalid field", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "pressed@example.com");
    await page.getByLabel("Website").fill("nowhere");
    const field = page.getByLabel("Choose a photo");
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

Deno.test("two tabs with the same profile each save only their own changes", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "tabs@example.com");
    const other = await page.context().newPage();
    await other.goto(`${site.url}/profile`, { waitUntil: "networkidle" });
    await page.getByLabel("Location").fill("London");
    await save(page);
    await other.getByLabel("About you").fill("Two tabs");
    await save(other);
    strictEqual(await other.getByLabel("Location").inputValue(), "London");
    await page.reload();
    strictEqual(await page.getByLabel("Location").inputValue(), "London");
    strictEqual(await page.getByLabel("About you").inputValue(), "Two tabs");
  }, { allow: [/status of 412/] });
});

Deno.test("a save without a response fails after 30 seconds, an upload never does", async () => {
  await withPage(site.browser, async (page) => {
    const timeouts = await shortenTimeouts(page);
    await visit(page, "unanswered@example.com");
    await page.route("**/api/profile", () => {});
    await page.getByLabel("About you").fill("Kept");
    await page.getByRole("button", { name: "Save profile" }).click();
    await page.getByRole("alert").getByText("The server isn’t responding").waitFor();
    strictEqual(await page.getByLabel("About you").inputValue(), "Kept");
    await page.unroute("**/api/profile");
    await save(page);

    await page.route("**/api/upload/image", (route) => route.fulfill({ status: 500 }));
    const buffer = Buffer.from("content");
    await page.getByLabel("Choose a photo").setInputFiles({ name: "me.png", mimeType: "image/png", buffer });
    await page.getByRole("button", { name: "Upload photo" }).click();
    await page.getByText("Something went wrong").waitFor();
    deepStrictEqual(await timeouts(), [30_000, 30_000, 0], "an upload has no timeout");
  }, { allow: [/status of 500/] });
});

Deno.test("a save without a session links to the login and keeps the changes", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "ended@example.com");
    const cookies = await page.context().cookies();
    await page.context().clearCookies();
    await page.getByLabel("About you").fill("Kept");
    await page.getByRole("button", { name: "Save profile" }).click();
    await page.getByRole("alert").getByText("You’ve been logged out").waitFor();
    const [opened] = await Promise.all([
      page.waitForEvent("popup"),
      page.getByRole("link", { name: "Log in again" }).click(),
    ]);
    await opened.getByRole("heading", { name: "Log in" }).waitFor();
    await page.context().addCookies(cookies);
    await save(page);
  }, { allow: [/status of 401/] });
});

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

/** Makes the timeouts of requests a hundred times as short. Returns those that the page has set. */
async function shortenTimeouts(page: Page): Promise<() => Promise<number[]>> {
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
