import { recoveryCodes } from "../en/settings/recovery_codes.ts";
import type { Language, Texts } from "../texts.ts";

const TEXTS: Record<Language, Texts["recoveryCodes"]> = { en: recoveryCodes };

/** The section of the catalogue that the island RecoveryCodes shows. Browsers load no others for it. */
export function recoveryCodesTextsIn(language: Language): Texts["recoveryCodes"] {
  return TEXTS[language];
}
