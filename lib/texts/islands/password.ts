import { password } from "../en/password.ts";
import { checklist } from "../en/password_rules.ts";
import type { Language, Texts } from "../texts.ts";

type PasswordTexts = Pick<Texts, "password"> & { rules: Pick<Texts["rules"], "checklist"> };

const TEXTS: Record<Language, PasswordTexts> = { en: { password, rules: { checklist } } };

/** The sections of the catalogue that the island PasswordField shows. Browsers load no others for it. */
export function passwordTextsIn(language: Language): PasswordTexts {
  return TEXTS[language];
}
