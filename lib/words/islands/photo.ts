import { network } from "../en/network.ts";
import { photo } from "../en/photo.ts";
import type { Language, Words } from "../words.ts";

type PhotoWords = Pick<Words, "network" | "photo">;

const WORDS: Record<Language, PhotoWords> = { en: { network, photo } };

/** The sections of the catalogue that the island ImageUpload shows. Browsers load no others for it. */
export function photoWordsIn(language: Language): PhotoWords {
  return WORDS[language];
}
