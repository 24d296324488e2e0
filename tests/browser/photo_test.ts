import { match, ok, strictEqual } from "node:assert/strict";
import sharp from "sharp";
import { type Page, withPage } from "../support/browser/browser.ts";
import { openSharedSite } from "../support/browser/shared_site.ts";

const site = await openSharedSite();
const GOOD = {
  name: "me.png",
  mimeType: "image/png",
  buffer: await sharp({ create: { width: 30, height: 20, channels: 3, background: "#336655" } }).png().toBuffer(),
};
const PREVIEW = '.avatar img[src^="data:image/png"]';

Deno.test("a first photo, also in the header, can be removed without reloading the page", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "first@example.com");
    strictEqual(await page.getByRole("button", { name: "Remove photo" }).count(), 0);
    await page.getByLabel("Choose a photo").setInputFiles(GOOD);
    await page.getByRole("button", { name: "Upload photo" }).click();
    await page.getByText("Photo updated.").waitFor();
    const header = page.locator(".site-header .avatar");
    match((await header.locator("img").getAttribute("src"))!, /\/images\/avatar\//);
    await page.getByRole("button", { name: "Remove photo" }).click();
    await page.getByText("Photo removed.").waitFor();
    strictEqual(await page.locator(".avatar img").count(), 0);
    strictEqual(await header.locator("[data-initials]").getAttribute("data-initials"), "AL");
  });
});

Deno.test("canceling an upload keeps the focus in the form", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "stopped@example.com");
    await page.route("**/api/upload/image", () => {});
    await page.getByLabel("Choose a photo").setInputFiles(GOOD);
    await page.getByRole("button", { name: "Upload photo" }).press("Enter");
    await page.getByRole("button", { name: "Cancel" }).press("Enter");
    await page.getByText("Your photo hasn’t changed").waitFor();
    await page.locator("button:focus", { hasText: "Upload photo" }).waitFor();
  });
});

Deno.test("the field shows the photo that would be uploaded, whether it was chosen or dropped", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "shown@example.com");
    const field = page.getByLabel("Choose a photo");
    const shown = () => field.evaluate((input: HTMLInputElement) => [...input.files!].map(({ name }) => name).join());
    await field.setInputFiles(GOOD);
    await page.locator(PREVIEW).waitFor();
    await transfer(page, "drop", { name: "notes.txt", type: "text/plain" });
    await page.getByText("Choose a JPEG, PNG, WebP or GIF image").waitFor();
    strictEqual(await page.locator(PREVIEW).count(), 0);
    strictEqual(await shown(), "", "a refused file is not chosen");

    await transfer(page, "drop", { name: "dropped.png", type: "image/png" });
    await page.locator(PREVIEW).waitFor();
    strictEqual(await shown(), "dropped.png");

    await field.setInputFiles([]);
    await page.locator(PREVIEW).waitFor({ state: "detached" });
    let isSent = false;
    page.on("request", (request) => isSent ||= request.method() === "POST");
    await page.getByRole("button", { name: "Upload photo" }).click();
    await page.getByText("Choose a photo first").waitFor();
    strictEqual(isSent, false);
  });
});

Deno.test("a pasted photo is chosen, unless text for a field is pasted with it", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "pasted@example.com");
    await transfer(page, "paste", { name: "cells.png", type: "image/png", text: "1\t2", into: "#bio" });
    await page.evaluate(() => new Promise(requestAnimationFrame));
    strictEqual(await page.getByLabel("Choose a photo").inputValue(), "");
    strictEqual(await page.locator(PREVIEW).count(), 0);
    await transfer(page, "paste", { name: "pasted.png", type: "image/png", into: "#bio" });
    await page.locator(PREVIEW).waitFor();
  });
});

Deno.test("a photo upload without a session links to the login", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "ended-picture@example.com");
    await page.context().clearCookies();
    await page.getByLabel("Choose a photo").setInputFiles(GOOD);
    await page.getByRole("button", { name: "Upload photo" }).click();
    const link = page.getByRole("alert").getByRole("link", { name: "Log in again" });
    strictEqual(await link.getAttribute("target"), "_blank");
    ok((await page.getByRole("alert").innerText()).startsWith("You’ve been logged out."));
  }, { allow: [/status of 401/] });
});

async function visit(page: Page, email: string): Promise<void> {
  await site.logIn(page.context(), email);
  await page.goto(`${site.url}/profile`, { waitUntil: "networkidle" });
}

interface TransferredFile {
  name: string;
  type: string;
  text?: string;
  into?: string;
}

/** Drops or pastes a file, optionally together with text. */
async function transfer(page: Page, event: "drop" | "paste", file: TransferredFile): Promise<void> {
  await page.evaluate(([event, { name, type, text, into = ".drop" }]) => {
    const data = new DataTransfer();
    data.items.add(new File(["content"], name, { type }));
    if (text !== undefined) data.setData("text/plain", text);
    const init = { bubbles: true, cancelable: true };
    document.querySelector(into)!.dispatchEvent(
      event === "drop"
        ? new DragEvent(event, { ...init, dataTransfer: data })
        : new ClipboardEvent(event, { ...init, clipboardData: data }),
    );
  }, [event, file] as const);
}
