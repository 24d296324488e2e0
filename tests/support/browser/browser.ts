import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { CHROMIUM, ensure, FONTS } from "../prerequisites.ts";
import { delay } from "../delay.ts";
import { PATIENCE_MS } from "../wait_for.ts";
import { textsOn } from "./page_texts.ts";

export type { Browser, Page } from "playwright-core";

const QUIET = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const FONTS_FILE = fileURLToPath(new URL("fonts.conf", import.meta.url));

/**
 * Starts Chromium without a window, and with the same fonts on every machine. `await using` closes it.
 *
 * @param args further arguments of its command line.
 */
export async function launchBrowser(args: string[] = []): Promise<Browser> {
  const executablePath = await ensure(CHROMIUM);
  await ensure(FONTS);
  const env = { ...Deno.env.toObject(), FONTCONFIG_FILE: FONTS_FILE };
  // Chromium's sandbox does not work as root.
  return await chromium.launch({ executablePath, env, args: [...QUIET, ...args], chromiumSandbox: Deno.uid() !== 0 });
}

let shared: Promise<Browser> | undefined;

/**
 * Returns the browser of this test process. Files that run together share it: starting one takes as much CPU time as
 * visiting five pages. Each of them closes it after all tests, before what it has visited.
 */
export function sharedBrowser(): Promise<Browser> {
  return shared ??= launchBrowser();
}

/**
 * On a busy machine, Chromium sometimes looks for the rule about transitions before it has read the style sheets, and
 * does without a transition; so it does when the window gets another size. Nothing else depends on it.
 */
const NO_TRANSITION = /view ?transition|^transition was (skipped|aborted)/i;

export interface PageOptions extends BrowserContextOptions {
  /** Problems that the test expects, such as the console message about a 401 response. */
  allow?: RegExp[];
}

/**
 * Runs `visit` on a page with its own cookie jar. Then fails if the page reported a problem that is not allowed: a
 * console error, an uncaught error or a violation of the content security policy.
 */
export async function withPage<T>(
  browser: Browser,
  visit: (page: Page) => Promise<T>,
  { allow = [], ...contextOptions }: PageOptions = {},
): Promise<T> {
  const watched = await openWatchedPage(browser, contextOptions);
  await using _context = watched.page.context();
  return await visitWatched(watched, visit, allow);
}

/** A page with its own cookie jar, and the problems that it has reported. */
export interface WatchedPage {
  page: Page;
  problems: string[];
}

/** Opens a page for several visits. The caller closes its context. */
export async function openWatchedPage(browser: Browser, options: BrowserContextOptions): Promise<WatchedPage> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const problems: string[] = [];
  await context.addInitScript(reportPolicyViolations);
  context.on("weberror", (event) => {
    const { stack, message } = event.error();
    if (!NO_TRANSITION.test(message)) problems.push(`uncaught: ${stack || message}`);
  });
  context.on("console", (message) => {
    if (message.type() === "error") problems.push(`console: ${message.text()} (${message.location().url})`);
  });
  return { page, problems };
}

/** Runs `visit` on the page. Then fails if the page has reported a problem that is not allowed. */
export async function visitWatched<T>(
  { page, problems }: WatchedPage,
  visit: (page: Page) => Promise<T>,
  allow: RegExp[],
): Promise<T> {
  const refused = () => problems.filter((problem) => !allow.some((pattern) => pattern.test(problem)));
  problems.length = 0;
  const result = await visit(page).catch(async (cause) => {
    const listed = refused().map((problem) => `\n- ${problem}`).join("");
    const drawing = await drawsFrames(page) ? "" : ", which drew nothing for five seconds";
    throw new Error(`${cause.message}\nThe page was ${page.url()}${drawing}; its problems were: ${listed || "none"}`, {
      cause,
    });
  });
  deepStrictEqual(refused(), [], "the page reported problems");
  return result;
}

/** Tells whether the page still draws frames. Playwright's clicks wait for two of them. */
async function drawsFrames(page: Page): Promise<boolean> {
  const frame = page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve(true))));
  return await Promise.race([frame.then(() => true, () => true), delay(5_000).then(() => false)]);
}

/** Opens the account menu in the header. */
export async function openAccountMenu(page: Page): Promise<void> {
  const { frame } = await textsOn(page);
  await page.getByRole("button", { name: frame.accountMenu({ name: "" }) }).click();
}

/** Fails unless the page warns before it is left. Stays on the page. */
export async function assertWarns(page: Page, url: string): Promise<void> {
  const asked = page.waitForEvent("dialog");
  void page.goto(url).catch(() => {});
  strictEqual((await asked).type(), "beforeunload");
  await (await asked).dismiss();
}

/** Leaves the page. Fails if it warns: without a listener, the browser would accept the warning unnoticed. */
export async function assertLeaves(page: Page, url: string): Promise<void> {
  let isWarned = false;
  page.once("dialog", async (dialog) => {
    isWarned = true;
    await dialog.accept();
  });
  await page.goto(url);
  strictEqual(isWarned, false);
}

/** Runs in the page. Chromium itself does not report the violations of every directive and frame. */
function reportPolicyViolations() {
  addEventListener("securitypolicyviolation", (event) => {
    console.error(`content security policy: ${event.violatedDirective} refused ${event.blockedURI || event.sample}`);
  });
}
