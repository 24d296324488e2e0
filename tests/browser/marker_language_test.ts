import { deepStrictEqual } from "node:assert/strict";
import { IN_MARKER, MARKER, unmarked, writeMarkerTexts } from "../support/app/marker_language.ts";
import { type Page, withPage } from "../support/browser/browser.ts";
import { addTexts } from "../support/browser/page_texts.ts";
import { openSharedSite } from "../support/browser/shared_site.ts";
import { populate } from "../support/browser/population.ts";
import { ALL_PAGES, sitePages } from "../support/browser/site_pages.ts";
import { quarters } from "../support/images/pictures.ts";
import { Buffer } from "node:buffer";

const TEXTS_DIR = await writeMarkerTexts();
addTexts(TEXTS_DIR);
const site = await openSharedSite({ ...ALL_PAGES, TEXTS_DIR });
const population = await populate(site.app);
/** The pages with islands. */
const WITH_ISLANDS = /^(profile|uploads|settings-(tokens-created|password)|recovery-codes|register$|reset-password)/;

/** States of islands that no other test of pages looks at. */
const STATES: { name: string; path: string; isMember?: true; isRefused?: true; reach(page: Page): Promise<void> }[] = [
  { name: "profile, saved", path: "/profile", isMember: true, reach: saveProfile },
  { name: "profile, session ended", path: "/profile", isMember: true, isRefused: true, reach: saveWithoutSession },
  { name: "photo, of a wrong type", path: "/profile", isMember: true, reach: choosePhotoOfWrongType },
  { name: "photo, uploaded", path: "/profile", isMember: true, reach: uploadPhoto },
  { name: "uploads, link copied", path: "/uploads", isMember: true, reach: copyLink },
  { name: "uploads, refused", path: "/uploads", isMember: true, isRefused: true, reach: uploadRefusedType },
  { name: "password, half typed", path: "/register", reach: typeHalfAPassword },
];

async function assertMarked(page: Page): Promise<void> {
  deepStrictEqual(await page.locator("html").getAttribute("lang"), MARKER);
  deepStrictEqual(unmarked(await page.content()), []);
}

for (const { name, path, isMember, cookies = {}, prepare, status, isOffline } of sitePages(population)) {
  if (!WITH_ISLANDS.test(name)) continue;
  Deno.test(`the page ${name} shows no text from outside the catalogs once its islands run`, async () => {
    await withPage(site.browser, async (page) => {
      if (isMember) await site.logIn(page.context(), `${name}@example.com`);
      const own = Object.entries(cookies).filter(([, value]) => value !== "");
      await page.context().addCookies(own.map(([name, value]) => ({ name, value, url: site.url })));
      await page.goto(site.url + path, { waitUntil: "networkidle" });
      await prepare?.(page);
      await assertMarked(page);
    }, {
      extraHTTPHeaders: IN_MARKER,
      allow: isOffline ? [/ERR_INTERNET_DISCONNECTED/] : status ? [new RegExp(`status of ${status}`)] : [],
    });
  });
}

for (const { name, path, isMember, isRefused, reach } of STATES) {
  Deno.test(`${name}: no text is from outside the catalogs`, async () => {
    await withPage(site.browser, async (page) => {
      if (isMember) await site.logIn(page.context(), `${name.replaceAll(/\W+/g, "-")}@example.com`);
      await page.goto(site.url + path, { waitUntil: "networkidle" });
      await reach(page);
      await assertMarked(page);
    }, { extraHTTPHeaders: IN_MARKER, allow: isRefused ? [/status of 40[01]/] : [] });
  });
}

async function saveProfile(page: Page): Promise<void> {
  await page.getByLabel("About you").fill("7");
  await page.getByRole("button", { name: "Save profile" }).click();
  await page.getByRole("status").getByText("Profile saved").waitFor();
}

async function saveWithoutSession(page: Page): Promise<void> {
  await page.context().clearCookies();
  await page.getByLabel("About you").fill("7");
  await page.getByRole("button", { name: "Save profile" }).click();
  await page.getByRole("alert").getByText("You’ve been logged out").waitFor();
}

async function choosePhotoOfWrongType(page: Page): Promise<void> {
  const file = { name: "me.txt", mimeType: "text/plain", buffer: Buffer.from("7") };
  await page.getByLabel("Choose a photo").setInputFiles(file);
  await page.getByRole("alert").first().waitFor();
}

async function uploadPhoto(page: Page): Promise<void> {
  const buffer = await quarters().png().toBuffer();
  await page.getByLabel("Choose a photo").setInputFiles({ name: "me.png", mimeType: "image/png", buffer });
  await page.getByRole("button", { name: "Upload photo" }).click();
  await page.getByRole("button", { name: "Remove photo" }).waitFor();
}

async function copyLink(page: Page): Promise<void> {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByLabel("Anyone with the link").check();
  await upload(page, "minutes.txt", "text/plain");
  const copy = page.getByRole("button", { name: "Copy link to minutes.txt" }).first();
  await copy.click();
  await page.getByText("Link copied").waitFor();
}

async function uploadRefusedType(page: Page): Promise<void> {
  await upload(page, "page.txt", "text/html");
  await page.locator(".field-error:not(:empty)").waitFor();
}

async function upload(page: Page, name: string, mimeType: string): Promise<void> {
  await page.getByLabel("Choose files").setInputFiles({ name, mimeType, buffer: Buffer.from(name) });
}

async function typeHalfAPassword(page: Page): Promise<void> {
  await page.getByLabel("Password").first().fill("short");
  await page.locator("#password-rules .met").first().waitFor();
}
