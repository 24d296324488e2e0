import { tokens } from "../en/settings/tokens.ts";
import type { Language, Words } from "../words.ts";

type CopyWords = Words["tokens"]["copying"];

const WORDS: Record<Language, CopyWords> = { en: tokens.copying };

/** The texts that the island CopyToken shows. */
export function copyTokenWordsIn(language: Language): CopyWords {
  return WORDS[language];
}
