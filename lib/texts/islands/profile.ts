import { network } from "../en/network.ts";
import { photo } from "../en/photo.ts";
import { profile } from "../en/profile.ts";
import { rules } from "../en/rules.ts";
import type { FieldTexts } from "../field_errors.ts";
import type { Language, Texts } from "../texts.ts";

type ShownTexts = Pick<Texts, "network" | "photo" | "profile"> & { rules: FieldTexts };

const TEXTS: Record<Language, ShownTexts> = { en: { network, photo, profile, rules } };

/** The sections of the catalogue that the island ProfileForm shows. Browsers load no others for it. */
export function profileTextsIn(language: Language): ShownTexts {
  return TEXTS[language];
}
