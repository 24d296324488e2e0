import { checkText, type TextRules } from "./rules.ts";
import { BIO, LOCATION, NAME, WEBSITE } from "./user_rules.ts";

/** The texts of a profile. */
export interface ProfileTexts {
  name: string;
  bio: string;
  location: string;
  website: string;
}

export const PROFILE_RULES: Record<keyof ProfileTexts, TextRules> = {
  name: NAME,
  bio: BIO,
  location: LOCATION,
  website: WEBSITE,
};

export const PROFILE_FIELDS = Object.keys(PROFILE_RULES) as (keyof ProfileTexts)[];

/** Returns what the API would report about these texts: messages by field, without the fields that are correct. */
export function profileProblems(texts: ProfileTexts): Record<string, string[]> {
  const problems = PROFILE_FIELDS.map((field) =>
    [field, checkText(PROFILE_RULES[field], texts[field]).problems] as const
  );
  return Object.fromEntries(problems.filter(([, messages]) => messages.length > 0));
}
