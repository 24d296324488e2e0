/** Takes screenshots of every page at three widths and every email at two, in light and dark mode. Git ignores their folder, screenshots/. */
import { exampleMail } from "../lib/mail/examples.ts";
import { MAIL_KINDS } from "../lib/mail/kinds.ts";
import { type Browser, launchBrowser, type Page } from "./support/browser/browser.ts";
import { registerUser, registerVerifiedUser } from "./support/app/accounts.ts";
import { withFailingDatabase } from "./support/database/failing_database.ts";
import { serveTestApp } from "./support/app/served_app.ts";
import { ALL_PAGES, populate, sitePages } from "./support/browser/site_pages.ts";

const WIDTHS = [360, 768, 1280];
const folder = new URL("../screenshots/", import.meta.url).pathname;

await Deno.remove(folder, { recursive: true }).catch(() => {});
await Deno.mkdir(folder);
const only = new RegExp(Deno.args[0] ?? "");
{
  await using site = await serveTestApp(() => ALL_PAGES);
  const { app, url } = site;
  const population = await populate(app);
  const browser = await launchBrowser();
  const member = await registerVerifiedUser(app, "grace@example.com", "Grace Hopper");
  const newcomer = await registerUser(app, "new@example.com", "Nora Newcomer");
  await app.deliverMails();
  for (
    const { name, path, isMember, cookies = {}, prepare, failure } of sitePages(population).filter(({ name }) =>
      only.test(name)
    )
  ) {
    for (const colorScheme of ["light", "dark"] as const) {
      const context = await browser.newContext({ colorScheme, reducedMotion: "reduce" });
      const { client } = name === "dashboard" ? newcomer : member;
      if (isMember) {
        await context.addCookies([...client.cookies].map(([name, value]) => ({ name, value, url })));
      }
      const own = Object.entries(cookies).filter(([, value]) => value !== "");
      await context.addCookies(own.map(([name, value]) => ({ name, value, url })));
      const page = await context.newPage();
      await withFailingDatabase(app, failure, () => page.goto(url + path, { waitUntil: "networkidle" }));
      await prepare?.(page);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        await untilPainted(page);
        await page.screenshot({ path: `${folder}${name}-${width}-${colorScheme}.png`, fullPage: true });
      }
      await context.close();
    }
  }
  await photographEmails(browser, url);
  await browser.close();
}

/** Photographs an example of each email, with the logo of the site at this address. */
async function photographEmails(browser: Browser, baseUrl: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    const page = await browser.newPage({ colorScheme });
    for (const kind of MAIL_KINDS.filter((kind) => only.test(`email-${kind}`))) {
      await page.setContent(exampleMail(kind, { baseUrl }).html);
      for (const width of [375, 1280]) {
        await page.setViewportSize({ width, height: 600 });
        await page.screenshot({ path: `${folder}email-${kind}-${width}-${colorScheme}.png`, fullPage: true });
      }
    }
    await page.close();
  }
}

/** Waits until the page is painted: an earlier screenshot would have blank areas. */
async function untilPainted(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

console.log(`The screenshots are in ${folder}`);
Deno.exit(0); // the threads of sharp and PGlite would keep the process alive
