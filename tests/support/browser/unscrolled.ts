import type { Page } from "./browser.ts";

/**
 * Lays out what nobody has scrolled to as well. Until then, it has the size that the style sheet guesses. What sticks
 * out of it stays cut off.
 */
export async function layOutAll(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const element of document.querySelectorAll<HTMLElement>("main *")) {
      if (getComputedStyle(element).contentVisibility === "auto") element.style.overflow = "clip";
    }
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("* { content-visibility: visible !important }");
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  });
}
