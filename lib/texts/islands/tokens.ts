import { tokens } from "../en/settings/tokens.ts";
import type { Language, Texts } from "../texts.ts";

type CopyTexts = Texts["tokens"]["copying"];

const TEXTS: Record<Language, CopyTexts> = { en: tokens.copying };

/** The texts that the island CopyToken shows. */
export function copyTokenTextsIn(language: Language): CopyTexts {
  return TEXTS[language];
}
