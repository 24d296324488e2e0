import { ok, strictEqual } from "node:assert/strict";
import sharp from "sharp";
import { type Page, withPage } from "../support/browser.ts";
import { openSharedSite } from "../support/shared_site.ts";

const site = await openSharedSite();
const GOOD = {
  name: "me.png",
  mimeType: "image/png",
  buffer: await sharp({ create: { width: 30, height: 20, channels: 3, background: "#336655" } }).png().toBuffer(),
};
const PREVIEW = '.avatar img[src^="data:image/png"]';

Deno.test("the first picture can be removed at once", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "first@example.com");
    strictEqual(await page.getByRole("button", { name: "Remove the picture" }).count(), 0);
    await page.getByLabel("Choose a picture").setInputFiles(GOOD);
    await page.getByRole("button", { name: "Save picture" }).click();
    await page.getByText("Your new picture is in place.").waitFor();
    await page.getByRole("button", { name: "Remove the picture" }).click();
    await page.getByText("Your profile is saved.").waitFor();
    strictEqual(await page.locator(".avatar img").count(), 0);
  });
});

Deno.test("the keyboard stays where it was when the picture is stopped", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "stopped@example.com");
    await page.route("**/api/upload/image", () => {});
    await page.getByLabel("Choose a picture").setInputFiles(GOOD);
    await page.getByRole("button", { name: "Save picture" }).press("Enter");
    await page.getByRole("button", { name: "Cancel" }).press("Enter");
    await page.getByText("The picture has not been sent").waitFor();
    strictEqual(await page.evaluate(() => document.activeElement?.textContent), "Save picture");
  });
});

Deno.test("what is shown as chosen is what is sent, wherever it comes from", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "shown@example.com");
    const field = page.getByLabel("Choose a picture");
    const shown = () => field.evaluate((input: HTMLInputElement) => [...input.files!].map(({ name }) => name).join());
    await field.setInputFiles(GOOD);
    await page.locator(PREVIEW).waitFor();
    await transfer(page, "drop", { name: "notes.txt", type: "text/plain" });
    await page.getByText("Only JPEG, PNG, WebP and GIF images are allowed.").waitFor();
    strictEqual(await page.locator(PREVIEW).count(), 0);
    strictEqual(await shown(), "", "refused, so not chosen");

    await transfer(page, "drop", { name: "dropped.png", type: "image/png" });
    await page.locator(PREVIEW).waitFor();
    strictEqual(await shown(), "dropped.png");

    await field.setInputFiles([]);
    await page.locator(PREVIEW).waitFor({ state: "detached" });
    let isSent = false;
    page.on("request", (request) => isSent ||= request.method() === "POST");
    await page.getByRole("button", { name: "Save picture" }).click();
    strictEqual(await field.evaluate((input: HTMLInputElement) => input.validity.valueMissing), true);
    strictEqual(isSent, false);
  });
});

Deno.test("a picture is taken from the clipboard, but not with text for a field", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "pasted@example.com");
    await transfer(page, "paste", { name: "cells.png", type: "image/png", text: "1\t2", into: "#bio" });
    await page.evaluate(() => new Promise(requestAnimationFrame));
    strictEqual(await page.getByLabel("Choose a picture").inputValue(), "");
    strictEqual(await page.locator(PREVIEW).count(), 0);
    await transfer(page, "paste", { name: "pasted.png", type: "image/png", into: "#bio" });
    await page.locator(PREVIEW).waitFor();
  });
});

Deno.test("who is logged out meanwhile is led to the login beside the picture", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "ended-picture@example.com");
    await page.context().clearCookies();
    await page.getByLabel("Choose a picture").setInputFiles(GOOD);
    await page.getByRole("button", { name: "Save picture" }).click();
    const link = page.getByRole("alert").getByRole("link", { name: "Log in again" });
    strictEqual(await link.getAttribute("target"), "_blank");
    ok((await page.getByRole("alert").innerText()).startsWith("Your session has ended."));
  }, { allow: [/status of 401/] });
});

async function visit(page: Page, email: string): Promise<void> {
  await site.logIn(page.context(), email);
  await page.goto(`${site.url}/profile`, { waitUntil: "networkidle" });
}

interface Transferred {
  name: string;
  type: string;
  text?: string;
  into?: string;
}

/** Drops or pastes a file, with text beside it or alone. */
async function transfer(page: Page, event: "drop" | "paste", file: Transferred): Promise<void> {
  await page.evaluate(([event, { name, type, text, into = "form.drop" }]) => {
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
