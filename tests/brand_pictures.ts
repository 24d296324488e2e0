/** Makes the pictures of docs/brand.md: the pages and an email of three products. */
import sharp from "sharp";
import { exampleMail } from "../lib/mail/examples.ts";
import { registerVerifiedUser } from "./support/app/accounts.ts";
import { serveTestApp } from "./support/app/served_app.ts";
import { type Browser, launchBrowser } from "./support/browser/browser.ts";

const DOCS = new URL("../docs/", import.meta.url);
const BRANDS = new URL("fixtures/brands/", import.meta.url).pathname;
const MAX_BYTES = 60_000;
const WIDTH = 1200;
const PHONE = { width: 360, height: 680 };
const STYLES = `
body { display: flex; gap: 16px; box-sizing: border-box; margin: 0; padding: 16px; width: ${
  4 * 376 + 16
}px; background: #8a8a8a }
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

const browser = await launchBrowser();
for (const [look, settings] of Object.entries(LOOKS)) {
  const picture = await sharp(await pictureOf(browser, settings)).resize(WIDTH).webp({ quality: 62, effort: 6 })
    .toBuffer();
  const file = `brand-${look}.webp`;
  if (picture.length > MAX_BYTES) throw new Error(`Make ${file} smaller: ${picture.length} bytes`);
  await Deno.writeFile(new URL(file, DOCS), picture);
  console.log(`docs/${file}: ${picture.length} bytes`);
}
await browser.close();
Deno.exit(0); // the threads of sharp and PGlite would keep the process alive

/** Puts the page of the login in both modes, a page of members and an email beside each other. */
async function pictureOf(browser: Browser, settings: Record<string, string>): Promise<Uint8Array> {
  // Passkeys do not work at an IP address.
  const atName = (url: string) => ({ BASE_URL: url.replace("127.0.0.1", "localhost") });
  await using site = await serveTestApp((url) => ({ SIGN_IN_CODES: "true", ...atName(url), ...settings }));
  const { app } = site;
  const { config, languages } = app.services;
  const url = config.baseUrl;
  const language = languages.default;
  const { client } = await registerVerifiedUser(app, "me@example.com", NAMES[language.tag]);
  const { html } = exampleMail("new_device", { baseUrl: url, brand: config.brand, language });
  const shots: Uint8Array[] = [];
  for (const [path, colorScheme] of [["/login", "light"], ["/login", "dark"], ["/dashboard", "light"]] as const) {
    const context = await browser.newContext({ viewport: PHONE, colorScheme, reducedMotion: "reduce" });
    await context.addCookies([{ name: "language", value: language.tag, url }]);
    if (path !== "/login") {
      await context.addCookies([...client.cookies].map(([name, value]) => ({ name, value, url })));
    }
    const page = await context.newPage();
    await page.goto(url + path, { waitUntil: "networkidle" });
    shots.push(await page.screenshot());
    await context.close();
  }
  const page = await browser.newPage({ viewport: PHONE });
  await page.setContent(html);
  shots.push(await page.screenshot());
  await page.setViewportSize({ width: 4 * 376 + 16, height: PHONE.height + 32 });
  const images = shots.map((shot) => `<img src="data:image/png;base64,${Uint8Array.from(shot).toBase64()}">`);
  await page.setContent(`<style>${STYLES}</style>${images.join("")}`, { waitUntil: "load" });
  const picture = await page.screenshot();
  await page.close();
  return picture;
}
