import type { Page } from "playwright-core";
import { openLanguages } from "../../../lib/texts/languages.ts";
import { type Texts, textsIn } from "../../../lib/texts/texts.ts";

const { languages } = openLanguages();

/** Returns the texts in the language of a page, to find elements by their names in every language. */
export async function textsOn(page: Page): Promise<Texts> {
  const tag = await page.locator("html").getAttribute("lang");
  return textsIn(languages.byTag.get(tag!)!);
}
