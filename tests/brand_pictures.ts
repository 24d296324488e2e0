/**
 * Makes the pictures of docs/brand.md, the pages and an email of three products, and the one of README.md: the login of
 * two of them, and what an admin sees of an account.
 */
import sharp from "sharp";
import { exampleMail } from "../lib/mail/examples.ts";
import { registerVerifiedUser } from "./support/app/accounts.ts";
import { registerAdmin } from "./support/app/admins.ts";
import { type ServedApp, serveTestApp } from "./support/app/served_app.ts";
import type { TestClient } from "./support/app/test_client.ts";
import { type Browser, launchBrowser } from "./support/browser/browser.ts";

const DOCS = new URL("../docs/", import.meta.url);
const BRANDS = new URL("fixtures/brands/", import.meta.url).pathname;
const MAX_BYTES = 60_000;
const WIDTH = 1200;
const PHONE = { width: 360, height: 680 };
const DESKTOP = { width: 736, height: 680 };
/** Between the pages of a picture, and around them. */
const GAP = 16;
const STYLES = `
body { display: flex; gap: ${GAP}px; box-sizing: border-box; margin: 0; padding: ${GAP}px; background: #8a8a8a }
img { display: block; border-radius: 12px }`;

/** The settings of three products. docs/brand.md shows them. */
const LOOKS: Record<string, Record<string, string>> = {
  color: { APP_NAME: "Acme Notes", BRAND_COLOR: "#c62828" },
  logo: {
    APP_NAME: "Harbor",
    BRAND_COLOR: "#0b4f8a",
    BRAND_LOGO: `${BRANDS}harbor.svg`,
    BRAND_LOGO_DARK: `${BRANDS}harbor-dark.svg`,
    BRAND_CSS: `${BRANDS}harbor.css`,
    DEFAULT_LANGUAGE: "de",
  },
  black: { APP_NAME: "نسيم", BRAND_COLOR: "#111111", DEFAULT_LANGUAGE: "ar" },
};
/** Who has an account, by language. */
const NAMES: Record<string, string> = { en: "Grace Hopper", de: "Emmy Noether", ar: "ليلى حسن" };

/** A page of the service as someone sees it. */
interface View {
  path: string;
  colorScheme?: "light" | "dark";
  viewport?: { width: number; height: number };
  /** Who is logged in. */
  client?: TestClient;
}

const browser = await launchBrowser();
for (const look of Object.keys(LOOKS)) await write(`brand-${look}.webp`, await pictureOf(browser, look));
await write("first-look.webp", await firstLook(browser));
await browser.close();
Deno.exit(0); // the threads of sharp and PGlite would keep the process alive

async function write(file: string, screenshot: Uint8Array): Promise<void> {
  const picture = await sharp(screenshot).resize(WIDTH).webp({ quality: 62, effort: 6 }).toBuffer();
  if (picture.length > MAX_BYTES) throw new Error(`Make ${file} smaller: ${picture.length} bytes`);
  await Deno.writeFile(new URL(file, DOCS), picture);
  console.log(`docs/${file}: ${picture.length} bytes`);
}

/** Puts the page of the login in both modes, a page of members and an email beside each other. */
async function pictureOf(browser: Browser, look: string): Promise<Uint8Array> {
  await using site = await serveLook(look);
  const { config, languages } = site.app.services;
  const language = languages.default;
  const { client } = await registerVerifiedUser(site.app, "me@example.com", NAMES[language.tag]);
  const { html } = exampleMail("new_device", { baseUrl: config.baseUrl, brand: config.brand, language });
  const shots = await photographAll(browser, site, [
    { path: "/login" },
    { path: "/login", colorScheme: "dark" },
    { path: "/dashboard", client },
  ]);
  const page = await browser.newPage({ viewport: PHONE });
  await page.setContent(html);
  shots.push(await page.screenshot());
  await page.close();
  return await sideBySide(browser, shots, 4 * PHONE.width);
}

/** Puts the login of two products, and what an admin sees of an account, beside each other. */
async function firstLook(browser: Browser): Promise<Uint8Array> {
  await using color = await serveLook("color");
  await using logo = await serveLook("logo", { DEFAULT_LANGUAGE: "en" });
  const { client } = await registerAdmin(color.app, "admin@example.com", NAMES.en);
  const { id } = await registerVerifiedUser(color.app, "ada@example.com", "Ada Lovelace");
  const shots = [
    ...await photographAll(browser, color, [{ path: "/login" }]),
    ...await photographAll(browser, logo, [{ path: "/login", colorScheme: "dark" }]),
    ...await photographAll(browser, color, [{ path: `/admin/users/${id}`, client, viewport: DESKTOP }]),
  ];
  return await sideBySide(browser, shots, 2 * PHONE.width + DESKTOP.width);
}

function serveLook(look: string, settings: Record<string, string> = {}): Promise<ServedApp> {
  // Passkeys do not work at an IP address.
  const atName = (url: string) => ({ BASE_URL: url.replace("127.0.0.1", "localhost") });
  return serveTestApp((url) => ({ SIGN_IN_CODES: "true", ...atName(url), ...LOOKS[look], ...settings }));
}

/** Photographs pages, on a phone unless the view has another size. */
async function photographAll(browser: Browser, { app }: ServedApp, views: View[]): Promise<Uint8Array[]> {
  const { config: { baseUrl: url }, languages } = app.services;
  const shots: Uint8Array[] = [];
  for (const { path, client, viewport = PHONE, colorScheme = "light" } of views) {
    const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce" });
    const cookies = { language: languages.default.tag, ...Object.fromEntries(client?.cookies ?? []) };
    await context.addCookies(Object.entries(cookies).map(([name, value]) => ({ name, value, url })));
    const page = await context.newPage();
    await page.goto(url + path, { waitUntil: "networkidle" });
    shots.push(await page.screenshot());
    await context.close();
  }
  return shots;
}

/** @param width of all pages together. */
async function sideBySide(browser: Browser, shots: Uint8Array[], width: number): Promise<Uint8Array> {
  const viewport = { width: width + (shots.length + 1) * GAP, height: PHONE.height + 2 * GAP };
  const page = await browser.newPage({ viewport });
  const images = shots.map((shot) => `<img src="data:image/png;base64,${Uint8Array.from(shot).toBase64()}">`);
  await page.setContent(`<style>${STYLES}</style>${images.join("")}`, { waitUntil: "load" });
  const picture = await page.screenshot();
  await page.close();
  return picture;
}
