import type { Page } from "./browser.ts";

/** Lays out what nobody has scrolled to as well. Until then, it has the size that the style sheet guesses. */
export async function layOutAll(page: Page): Promise<void> {
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("* { content-visibility: visible !important }");
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  });
}
