import { network } from "../en/network.ts";
import { uploads } from "../en/uploads.ts";
import type { Language, Words } from "../words.ts";

type UploadsWords = Pick<Words, "network" | "uploads">;

const WORDS: Record<Language, UploadsWords> = { en: { network, uploads } };

/** The sections of the catalogue that the island DirectUploads shows. Browsers load no others for it. */
export function uploadsWordsIn(language: Language): UploadsWords {
  return WORDS[language];
}
