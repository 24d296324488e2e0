import { islands } from "./en/islands.ts";
import type { Language } from "./words.ts";

/** The part of a catalogue that islands show. They import only this, so that browsers load nothing else. */
export type IslandWords = typeof islands;

const CATALOGUES: Record<Language, IslandWords> = { en: islands };

/** The islands' part of the catalogue of a language. */
export function islandWordsIn(language: Language): IslandWords {
  return CATALOGUES[language];
}
