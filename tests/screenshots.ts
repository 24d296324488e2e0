/**
 * Makes contact sheets: every page and email in every language, on a phone and on a desktop, in light and dark mode.
 * Git ignores their folder, screenshots/. `deno task screenshots "^login|email-" ar` makes only some, in one language.
 */
import { exampleMail } from "../lib/mail/examples.ts";
import { MAIL_KINDS, type MailKind } from "../lib/mail/kinds.ts";
import type { Language } from "../lib/texts/texts.ts";
import { registerUser, registerVerifiedUser } from "./support/app/accounts.ts";
import { serveTestApp } from "./support/app/served_app.ts";
import { launchBrowser } from "./support/browser/browser.ts";
import { contactSheet, photograph, type Photographed } from "./support/browser/contact_sheet.ts";
import { populate } from "./support/browser/population.ts";
import { ALL_PAGES, type SitePage, sitePages } from "./support/browser/site_pages.ts";
import { withFailingDatabase } from "./support/database/failing_database.ts";

const PAGE_WIDTHS = { phone: 375, desktop: 1280 };
const EMAIL_WIDTHS = { phone: 375, desktop: 800 };
const EMAILS_PER_SHEET = 6;
const folder = new URL("../screenshots/", import.meta.url).pathname;
const only = new RegExp(Deno.args[0] ?? "");

const startedAt = performance.now();
await Deno.remove(folder, { recursive: true }).catch(() => {});
await Deno.mkdir(folder);
// Passkeys do not work at an IP address.
const { app } = await serveTestApp((url) => ({ ...ALL_PAGES, BASE_URL: url.replace("127.0.0.1", "localhost") }));
const url = app.services.config.baseUrl;
const browser = await launchBrowser();
const pages = sitePages(await populate(app)).filter(({ name }) => only.test(name));
const languages = [...app.services.languages.byTag.values()].filter(({ tag }) => tag === (Deno.args[1] ?? tag));
await app.deliverMails();

for (const [group, members] of Map.groupBy(pages, ({ group }) => group)) {
  const photographed = new Map<string, Photographed[]>(languages.map(({ tag }) => [tag, []]));
  for (const page of members) {
    const visitors: Record<string, string>[] = [];
    // One after the other: each reads the email that has just been sent.
    for (const { tag } of languages) visitors.push(await cookiesOf(page, tag));
    // All languages of a page at once, but one page at a time: a failing database must not reach other pages.
    const run = () => Promise.all(visitors.map((visitor) => photographPage(page, visitor)));
    const shots = await withFailingDatabase(app, page.failure, run);
    languages.forEach(({ tag }, index) => photographed.get(tag)!.push({ name: page.name, shots: shots[index] }));
  }
  for (const [tag, items] of photographed) await writeSheet(group, tag, items);
}
for (const language of languages) await photographEmails(language);
await browser.close();
console.log(`The contact sheets are in ${folder}, after ${Math.round((performance.now() - startedAt) / 1000)} s`);
Deno.exit(0); // the threads of sharp and PGlite would keep the process alive

/** Returns the cookies with which a browser visits a page in a language. */
async function cookiesOf(
  { name, isMember, cookies = {} }: SitePage,
  language: string,
): Promise<Record<string, string>> {
  const own = isMember ? await cookiesOfMember(name, language) : cookies;
  return Object.fromEntries(Object.entries({ language, ...own }).filter(([, value]) => value !== ""));
}

/** Registers someone for one page, because pages change what their members have. */
async function cookiesOfMember(page: string, language: string): Promise<Record<string, string>> {
  const register = page === "dashboard" ? registerUser : registerVerifiedUser;
  const { client } = await register(app, `grace.${page}.${language}@example.com`, "Grace Hopper");
  return Object.fromEntries(client.cookies);
}

async function photographPage({ path, prepare }: SitePage, cookies: Record<string, string>) {
  const context = await browser.newContext();
  await context.addCookies(Object.entries(cookies).map(([name, value]) => ({ name, value, url })));
  const page = await context.newPage();
  await page.goto(url + path);
  await prepare?.(page);
  const shots = await photograph(page, PAGE_WIDTHS);
  await context.close();
  return shots;
}

/** Photographs an example of each email, with the logo of the site. */
async function photographEmails(language: Language): Promise<void> {
  const page = await browser.newPage();
  const photographed: Photographed[] = [];
  for (const kind of MAIL_KINDS.filter((kind: MailKind) => only.test(`email-${kind}`))) {
    const { subject, html } = exampleMail(kind, { baseUrl: url, language });
    await page.setContent(html);
    photographed.push({ name: `${kind}: <bdi>${subject}</bdi>`, shots: await photograph(page, EMAIL_WIDTHS) });
  }
  await page.close();
  for (let start = 0; start < photographed.length; start += EMAILS_PER_SHEET) {
    const name = `emails-${start / EMAILS_PER_SHEET + 1}`;
    await writeSheet(name, language.tag, photographed.slice(start, start + EMAILS_PER_SHEET));
  }
}

async function writeSheet(name: string, tag: string, items: Photographed[]): Promise<void> {
  const sheet = await contactSheet(browser, `${name}, ${tag}`, items);
  await Deno.writeFile(`${folder}${name}-${tag}.png`, sheet);
}
