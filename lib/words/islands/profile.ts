import { network } from "../en/network.ts";
import { photo } from "../en/photo.ts";
import { profile } from "../en/profile.ts";
import { rules } from "../en/rules.ts";
import type { FieldWords } from "../field_errors.ts";
import type { Language, Words } from "../words.ts";

type ProfileWords = Pick<Words, "network" | "photo" | "profile"> & { rules: FieldWords };

const WORDS: Record<Language, ProfileWords> = { en: { network, photo, profile, rules } };

/** The sections of the catalogue that the island ProfileForm shows. Browsers load no others for it. */
export function profileWordsIn(language: Language): ProfileWords {
  return WORDS[language];
}
