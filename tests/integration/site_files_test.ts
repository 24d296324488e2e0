import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import sharp from "sharp";
import { THEME_COLORS } from "../../lib/ui/SiteHead.tsx";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp();
const guest = app.client();

Deno.test("the manifest names the product, and its icons have the sizes that it promises", async () => {
  const response = await guest.get("/site.webmanifest");
  strictEqual(response.headers.get("Content-Type"), "application/manifest+json");
  const { name, start_url, icons } = await response.json();
  deepStrictEqual([name, start_url, icons.length], ["Foyer", "/", 2]);
  for (const { src, sizes, type } of icons) {
    const icon = await guest.get(src);
    strictEqual(icon.headers.get("Content-Type"), type);
    const { width, height } = await sharp(await icon.bytes()).metadata();
    strictEqual(`${width}x${height}`, sizes);
  }
});

Deno.test("every page links to its icons and its manifest, which exist", async () => {
  const html = await (await guest.get("/login")).text();
  const links = [...html.matchAll(/<link rel="(icon|apple-touch-icon|manifest)"[^>]* href="([^"]+)"/g)];
  deepStrictEqual(links.map(([, rel]) => rel), ["icon", "icon", "apple-touch-icon", "manifest"]);
  for (const [, , href] of links) strictEqual((await guest.get(href)).status, 200, href);

  const touchIcon = sharp(await (await guest.get("/apple-touch-icon.png")).bytes());
  deepStrictEqual(await touchIcon.metadata().then(({ width, height }) => [width, height]), [180, 180]);
  ok((await touchIcon.stats()).isOpaque, "phones fill transparent parts with black");
  const icon = await guest.get("/favicon.ico");
  strictEqual(icon.headers.get("Content-Type"), "image/vnd.microsoft.icon");
  const bytes = await icon.bytes();
  deepStrictEqual([...bytes.slice(0, 6)], [0, 0, 1, 0, 1, 0], "an icon file with one image");
  strictEqual((await sharp(bytes.slice(22)).metadata()).width, 32);
});

Deno.test("the colors of the browser's bars are those of the header", async () => {
  const html = await (await guest.get("/")).text();
  const css = await (await guest.get("/styles.css")).text();
  const { light, dark } = THEME_COLORS;
  ok(css.includes(`--surface: light-dark(${light}, ${dark});`));
  for (const [scheme, color] of Object.entries({ light, dark })) {
    match(
      html,
      new RegExp(`<meta name="theme-color" media="\\(prefers-color-scheme: ${scheme}\\)" content="${color}"`),
    );
  }
});

Deno.test("robots may read pages, but not the API, the sign-in or stored files", async () => {
  const response = await guest.get("/robots.txt");
  match(response.headers.get("Content-Type")!, /^text\/plain/);
  const lines = (await response.text()).trim().split("\n");
  deepStrictEqual(lines, ["User-agent: *", "Disallow: /api/", "Disallow: /auth/", "Disallow: /files/"]);
});

Deno.test("search engines list the public pages, but no pages about people", async () => {
  const { client, id } = await registerVerifiedUser(app, "hidden@example.com");
  for (
    const path of [
      "/users",
      `/users/${id}`,
      "/dashboard",
      "/profile",
      "/settings/password",
      "/uploads",
      "/verify-email",
      "/reset-password",
    ]
  ) {
    strictEqual((await client.get(path)).headers.get("X-Robots-Tag"), "noindex", path);
  }
  for (const path of ["/", "/login", "/register", "/forgot-password"]) {
    strictEqual((await guest.get(path)).headers.get("X-Robots-Tag"), null, path);
  }
});

Deno.test("the well-known URL for changing a password leads to a page that does", async () => {
  const response = await guest.get("/.well-known/change-password");
  strictEqual(response.status, 302);
  strictEqual(response.headers.get("Location"), "/settings/password");
  const { client } = await registerVerifiedUser(app, "manager@example.com");
  strictEqual((await client.get("/settings/password")).status, 200);
  // Password managers check that the site does not return 200 for every URL.
  strictEqual(
    (await guest.get("/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200")).status,
    404,
  );
});
