import type { Browser, Page } from "playwright-core";

export { launchBrowser as launch } from "../../../tests/support/browser/browser.ts";

/** Opens a page and collects its errors, including violations of the content security policy. */
export async function openPage(browser: Browser): Promise<{ page: Page; problems: string[] }> {
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.setDefaultTimeout(5000);
  return { page, problems };
}
