import { forPeople } from "./messages.ts";
import { checkText, type TextRules } from "./rules.ts";
import { BIO, LOCATION, NAME, WEBSITE } from "./user_rules.ts";

/** What a person writes into the profile. */
export interface ProfileTexts {
  name: string;
  bio: string;
  location: string;
  website: string;
}

/** The rules of each. */
export const PROFILE_RULES: Record<keyof ProfileTexts, TextRules> = {
  name: NAME,
  bio: BIO,
  location: LOCATION,
  website: WEBSITE,
};

/** What people call them. */
export const PROFILE_LABELS: Record<keyof ProfileTexts, string> = {
  name: "Name",
  bio: "About you",
  location: "Where you are",
  website: "Website",
};

export const PROFILE_FIELDS = Object.keys(PROFILE_RULES) as (keyof ProfileTexts)[];

/** What is wrong, by field; the fields in which nothing is are left out. */
export function profileProblems(texts: ProfileTexts): Record<string, string[]> {
  const problems = PROFILE_FIELDS.map((field) =>
    [field, checkText(PROFILE_RULES[field], texts[field]).problems] as const
  );
  return forPeople(Object.fromEntries(problems.filter(([, messages]) => messages.length > 0)), texts);
}
