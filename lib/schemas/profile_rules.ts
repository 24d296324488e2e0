import type { FieldProblems } from "../errors/problem.ts";
import { checkText, type TextRules } from "./rules.ts";
import { BIO, LOCATION, NAME, WEBSITE } from "./user_rules.ts";

interface ProfileField {
  rules: TextRules;
  /** How the profile shows it, after the name. */
  shown: "title" | "line" | "paragraph" | "link";
  /** What the API document shows. */
  example: string;
  /** The attributes of its field in the form. */
  input?: { rows?: number; type?: string; inputmode?: "url"; autocomplete?: string; required?: boolean };
}

/**
 * The texts of a profile, in the order of the form. A new one also needs a column, and its texts in every catalog. The
 * rest follows: schema, views, API document, form, empty profile and export.
 */
const PROFILE = {
  name: { rules: NAME, shown: "title", example: "Ada Lovelace", input: { autocomplete: "name", required: true } },
  bio: { rules: BIO, shown: "paragraph", example: "First programmer.", input: { rows: 5 } },
  location: { rules: LOCATION, shown: "line", example: "London", input: { autocomplete: "address-level2" } },
  website: {
    rules: WEBSITE,
    shown: "link",
    example: "https://example.com/",
    input: { type: "url", inputmode: "url", autocomplete: "url" },
  },
} satisfies Record<string, ProfileField>;

/** The name of a text of a profile. */
export type ProfileTextName = keyof typeof PROFILE;
/** The texts of a profile. */
export type ProfileTexts = Record<ProfileTextName, string>;
/** The texts that people may leave empty: all but the name. */
export type OptionalTexts = Omit<ProfileTexts, "name">;

export const PROFILE_FIELDS = Object.keys(PROFILE) as ProfileTextName[];
export const OPTIONAL_FIELDS = PROFILE_FIELDS.filter((field) => field !== "name");

const PROFILE_RULES = textsBy(PROFILE_FIELDS, (field) => PROFILE[field].rules);

/** Returns the declaration of a text. */
export function profileField(name: ProfileTextName): ProfileField {
  return PROFILE[name];
}

/** Returns one value for each of these fields. */
export function textsBy<Field extends string, Value>(
  fields: Field[],
  valueOf: (field: Field) => Value,
): Record<Field, Value> {
  return Object.fromEntries(fields.map((field) => [field, valueOf(field)])) as Record<Field, Value>;
}

/** Returns the optional texts of a profile, without its other fields. */
export function optionalTextsOf(profile: OptionalTexts): OptionalTexts {
  return textsBy(OPTIONAL_FIELDS, (field) => profile[field]);
}

/** The optional texts of a new profile. */
export const NO_TEXTS: OptionalTexts = textsBy(OPTIONAL_FIELDS, () => "");

/** Returns the rules that these texts break, by field, without the fields that are correct. */
export function profileProblems(texts: ProfileTexts): FieldProblems {
  const problems = PROFILE_FIELDS.map((field) =>
    [field, checkText(PROFILE_RULES[field], texts[field]).problems] as const
  );
  return Object.fromEntries(problems.filter(([, broken]) => broken.length > 0));
}
