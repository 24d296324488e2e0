import { network } from "../en/network.ts";
import { profile } from "../en/profile.ts";
import { rules } from "../en/rules.ts";
import type { Language, Words } from "../words.ts";

type ProfileWords = Pick<Words, "network" | "profile" | "rules">;

const WORDS: Record<Language, ProfileWords> = { en: { network, profile, rules } };

/** The sections of the catalogue that the island ProfileForm shows. Browsers load no others for it. */
export function profileWordsIn(language: Language): ProfileWords {
  return WORDS[language];
}
