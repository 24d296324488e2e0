import type { Page } from "playwright-core";
import { openLanguages } from "../../../lib/texts/languages.ts";
import { type Texts, textsIn } from "../../../lib/texts/texts.ts";

let { languages } = openLanguages();

/** Finds elements also in the languages of this folder. */
export function addTexts(textsDir: string): void {
  languages = openLanguages({ textsDir }).languages;
}

/** Returns the texts in the language of a page, to find elements by their names in every language. */
export async function textsOn(page: Page): Promise<Texts> {
  const tag = await page.locator("html").getAttribute("lang");
  return textsIn(languages.byTag.get(tag!)!);
}
