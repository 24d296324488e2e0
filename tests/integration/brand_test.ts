import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { createBrand } from "../../lib/brand/brand.ts";
import { readPage } from "../support/app/page_reader.ts";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { BASE_URL, openSharedTestApp, openTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp({
  APP_NAME: "Acme & Notes",
  APP_URL: "https://www.acme.example",
  BRAND_COLOR: "#C62828",
  SUPPORT_EMAIL: "help@acme.example",
  HELP_URL: "https://www.acme.example/help",
  TERMS_URL: "https://www.acme.example/terms",
  PRIVACY_URL: "https://www.acme.example/privacy",
  AFTER_LOGIN_URL: "http://app.foyer.test/notes",
  RETURN_ORIGINS: "http://app.foyer.test",
  COOKIE_DOMAIN: "foyer.test",
});
const { brand } = app.services.config;
const guest = app.client();

Deno.test("pages have the brand's name, colors, icons and links", async () => {
  const page = await readPage(guest.get("/login"));
  const attributes = (selector: string, name: string) => page.findAll(selector).map((each) => each.getAttribute(name));
  for (const part of ["header", ".door"]) {
    deepStrictEqual(attributes(`${part} a.brand`, "href"), ["https://www.acme.example"], part);
  }
  const logo = page.find(`img[src="${brand.logo!.light}"]`);
  strictEqual(logo.getAttribute("alt"), "", "the name stands beside it");
  ok(attributes('link[rel="icon"]', "href").includes(brand.logo!.light));
  deepStrictEqual(attributes('meta[property="og:site_name"]', "content"), ["Acme & Notes"]);
  strictEqual(attributes('link[rel="stylesheet"]', "href").at(-1), brand.styles, "after ours");
  match(await (await guest.get(brand.styles!)).text(), /^:root\{--accent:light-dark\(#c62828,/);
  const links = page.findAll("footer.site-footer a").map((link) => [link.textContent, link.getAttribute("href")]);
  const register = await readPage(guest.get("/register"));
  match(register.text, /you accept: Terms/);
  strictEqual(register.find("main a[href$='/terms']").getAttribute("href"), "https://www.acme.example/terms");
  deepStrictEqual(links.slice(-4), [
    ["Help", "https://www.acme.example/help"],
    ["Terms", "https://www.acme.example/terms"],
    ["Privacy", "https://www.acme.example/privacy"],
    ["Contact", "mailto:help@acme.example"],
  ]);
});

Deno.test("browsers keep a file of the brand until its content changes, and run nothing in it", async () => {
  const [{ src }] = brand.icons!;
  const current = await guest.get(src);
  strictEqual(current.headers.get("Content-Type"), "image/svg+xml");
  strictEqual(current.headers.get("Cache-Control"), "public, max-age=31536000, immutable");
  match(current.headers.get("Content-Security-Policy")!, /^default-src 'none';.*sandbox$/);
  const former = await guest.get("/brand/icon.svg?v=0123456789ab");
  strictEqual(former.headers.get("Cache-Control"), "public, max-age=3600");
  strictEqual((await guest.get("/brand/other.svg")).status, 404);
  for (const path of ["/favicon.ico", "/mark.svg", "/apple-touch-icon.png"]) {
    const response = await guest.get(path);
    deepStrictEqual([response.status, response.headers.get("Location")], [307, src], path);
  }
});

Deno.test("the manifest has the name, the color and the icons of the brand", async () => {
  const { name, theme_color, icons } = await (await guest.get("/site.webmanifest")).json();
  deepStrictEqual([name, theme_color, icons], [brand.name, "#c62828", JSON.parse(JSON.stringify(brand.icons))]);
});

Deno.test("people go to AFTER_LOGIN_URL after logging in, and from the home page", async () => {
  const { client } = await registerVerifiedUser(app, "grace@example.com");
  const expected = `/continue?${new URLSearchParams({ next: "http://app.foyer.test/notes" })}`;
  for (const path of ["/", "/login"]) strictEqual((await client.get(path)).headers.get("Location"), expected, path);
});

Deno.test("authenticator apps and passkeys show the name of the product", async () => {
  const { client } = await registerVerifiedUser(app, "alan@example.com");
  const totp = await client.send("POST", "/api/totp", {});
  match((await totp.json()).uri, /^otpauth:\/\/totp\/Acme%20%26%20Notes/);
  const options = await client.send("POST", "/api/passkeys/options", {});
  strictEqual((await options.json()).options.rp.name, brand.name);
});

Deno.test("BRAND_STYLE=plain takes away the door, and leaves the colors to BRAND_CSS", async () => {
  await using plain = await openTestApp({ BRAND_STYLE: "plain" });
  const { styles } = plain.services.config.brand;
  strictEqual(await (await plain.client().get(styles!)).text(), ":root{--arch:0rem;--serif:inherit}");
});

Deno.test("without settings, nothing of the brand is added to a page", async () => {
  await using plain = await openTestApp();
  const page = await readPage(plain.client().get("/login"));
  doesNotMatch(page.html, /\/brand\//);
  strictEqual(createBrand({ name: "Foyer" }).styles, null);
  const image = page.find('meta[property="og:image"]').getAttribute("content")!;
  ok(image.startsWith(`${BASE_URL}/icon-512.png`), image);
});
