import { network } from "../en/network.ts";
import { uploads } from "../en/uploads.ts";
import type { Language, Texts } from "../texts.ts";

type UploadsTexts = Pick<Texts, "network" | "uploads">;

const TEXTS: Record<Language, UploadsTexts> = { en: { network, uploads } };

/** The sections of the catalogue that the island DirectUploads shows. Browsers load no others for it. */
export function uploadsTextsIn(language: Language): UploadsTexts {
  return TEXTS[language];
}
