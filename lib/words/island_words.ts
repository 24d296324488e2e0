import { islands } from "./en/islands.ts";
import { rules } from "./en/rules.ts";
import type { Language } from "./words.ts";

const en = { ...islands, rules };

/** The part of a catalogue that islands show. They import only this, so that browsers load nothing else. */
export type IslandWords = typeof en;

const CATALOGUES: Record<Language, IslandWords> = { en };

/** The islands' part of the catalogue of a language. */
export function islandWordsIn(language: Language): IslandWords {
  return CATALOGUES[language];
}
