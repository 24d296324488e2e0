import { ok } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { registerUser } from "../support/app/accounts.ts";
import { type Page, withPage } from "../support/browser/browser.ts";
import { openSharedSite } from "../support/browser/shared_site.ts";

const site = await openSharedSite();
const PHONE = { width: 320, height: 640 };

/** Texts without spaces at which a line could break, each as long as its field allows. */
const TEXTS = [
  { title: "wide letters", name: "W".repeat(100), bio: "W".repeat(500), location: "M".repeat(100) },
  {
    title: "no-break spaces",
    name: "No\u00a0break".repeat(11),
    bio: "a\u00a0b".repeat(150),
    location: "x\u00a0".repeat(40) + "x",
  },
  { title: "Arabic", name: "عبدالرحمن".repeat(11), bio: "بسم".repeat(160), location: "القاهرة".repeat(14) },
  { title: "emoji", name: `Jo ${"👩‍👩‍👧‍👦".repeat(13)}`, bio: "🏳️‍🌈".repeat(80), location: "🗺️".repeat(40) },
  {
    title: "long lines",
    name: "Ann O\u2019".repeat(16),
    bio: `${"_".repeat(240)}\n\t${"-".repeat(240)}`,
    location: "/".repeat(100),
  },
];
const WEBSITES = [
  `https://${"sub-domain.".repeat(20)}example.com/`,
  `https://example.com/${"long-".repeat(400)}`,
  `https://example.com/?q=${"%20".repeat(600)}`,
];
const FILE_NAMES = [`${"w".repeat(200)}.txt`, `${"no\u00a0break".repeat(20)}.txt`, `${"ملف".repeat(60)}.txt`];

for (const [index, { title, ...texts }] of TEXTS.entries()) {
  Deno.test(`profiles that consist of ${title} fit on a narrow phone`, async () => {
    await withPage(site.browser, async (page) => {
      const email = `${"x".repeat(60)}@${"long-".repeat(11)}${index}.example.com`;
      const id = await logIn(page, email, { ...texts, website: WEBSITES[index % WEBSITES.length] });
      for (const path of ["/users", `/users/${id}`, "/dashboard", "/profile", "/dev/outbox"]) await visit(page, path);
    }, { viewport: PHONE });
  });
}

Deno.test("refused forms with long texts fit on a narrow phone", async () => {
  await withPage(site.browser, async (page) => {
    const email = `${"y".repeat(64)}@${"long.".repeat(30)}example.com`;
    const query = new URLSearchParams({ email, token: "t".repeat(400) });
    await visit(page, `/verify-email?${query}`);
    await visit(page, `/reset-password?${query}`);
    await page.goto(`${site.url}/register`);
    await page.getByLabel("Your name").fill("W".repeat(300));
    await page.getByLabel("Email address").fill("w".repeat(300));
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByRole("alert").waitFor();
    await page.waitForLoadState(); // its start is shown before its end has arrived
    await assertFits(page, "/register, refused");
  }, { viewport: PHONE, javaScriptEnabled: false, allow: [/status of 400/] });
});

for (const fileName of FILE_NAMES) {
  Deno.test(`the file name ${fileName.slice(0, 6)}… fits on a narrow phone`, async () => {
    await withPage(site.browser, async (page) => {
      await logIn(page, `${FILE_NAMES.indexOf(fileName)}-files@example.com`);
      await page.goto(`${site.url}/uploads`, { waitUntil: "networkidle" });
      await page.getByLabel("Choose files").setInputFiles([
        { name: fileName, mimeType: "text/plain", buffer: Buffer.from("text") },
        { name: fileName, mimeType: "text/plain", buffer: Buffer.alloc(0) },
      ]);
      await page.getByRole("button", { name: "Share" }).waitFor();
      await assertFits(page, "uploaded");
      await page.getByRole("button", { name: "Share" }).click();
      await page.getByRole("button", { name: "Create link" }).click();
      await page.getByRole("heading", { name: "Your new link" }).waitFor();
      await assertFits(page, "shared");
    }, { viewport: PHONE });
  });
}

/** Registers someone with this profile. */
async function logIn(page: Page, email: string, profile: Record<string, string> = {}): Promise<string> {
  const { client, id } = await registerUser(site.app, email);
  if (profile.name) {
    const response = await client.send("PUT", "/api/profile", profile);
    ok(response.ok, await response.text());
  }
  await site.app.deliverMails();
  await page.context().addCookies([...client.cookies].map(([name, value]) => ({ name, value, url: site.url })));
  return id;
}

async function visit(page: Page, path: string): Promise<void> {
  await page.goto(site.url + path);
  await assertFits(page, path);
}

/** Fails if the page, with its menu open, scrolls sideways with text at 100% or 200%. */
async function assertFits(page: Page, what: string): Promise<void> {
  for (const size of ["100%", "200%"]) {
    const { width, widest } = await page.evaluate((size) => {
      document.documentElement.style.fontSize = size;
      for (const menu of document.querySelectorAll("details")) menu.open = true;
      const ends = [...document.querySelectorAll("body *")]
        .map((element) => ({ html: element.outerHTML.slice(0, 80), end: element.getBoundingClientRect().right }));
      ends.sort((a, b) => b.end - a.end);
      return { width: document.scrollingElement!.scrollWidth, widest: ends[0] };
    }, size);
    ok(width <= PHONE.width, `${what} with text at ${size} is ${width} px wide: ${JSON.stringify(widest)}`);
  }
}
