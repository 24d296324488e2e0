import { password } from "../en/password.ts";
import { checklist } from "../en/password_rules.ts";
import { rules } from "../en/rules.ts";
import type { Language, Words } from "../words.ts";

type PasswordWords = Pick<Words, "password" | "rules">;

const WORDS: Record<Language, PasswordWords> = { en: { password, rules: { ...rules, checklist } } };

/** The sections of the catalogue that the island PasswordField shows. Browsers load no others for it. */
export function passwordWordsIn(language: Language): PasswordWords {
  return WORDS[language];
}
