import { recoveryCodes } from "../en/settings/recovery_codes.ts";
import type { Language, Words } from "../words.ts";

const WORDS: Record<Language, Words["recoveryCodes"]> = { en: recoveryCodes };

/** The section of the catalogue that the island RecoveryCodes shows. Browsers load no others for it. */
export function recoveryCodesWordsIn(language: Language): Words["recoveryCodes"] {
  return WORDS[language];
}
