import { type CharacterKind, FILE_INCOMPLETE, type RuleKey } from "../../schemas/rules.ts";

/** A text, or a function of the number in the rule. */
export type RuleText = string | ((limit: number) => string);

const list = new Intl.ListFormat("en-GB");

/** What a page shows beside a field that does not meet its rules. */
export const rules = {
  /** By field. */
  fillIn: {
    name: "Enter your name",
    email: "Enter your email address",
    password: "Enter your password",
    currentPassword: "Enter your current password",
    passkeyName: "Enter a name for the passkey",
    code: "Enter the code",
    file: "Choose a file",
  } as Record<string, string>,
  fillInOther: "Fill this in",
  /** For an empty field for a new password, whatever its name. */
  choosePassword: "Choose a password",
  chooseAgain: "Choose your file again. It hasn’t been saved.",
  /** By the API message of a refusal that is no rule about single characters. */
  refusals: {
    [FILE_INCOMPLETE]: "Choose another file. Empty files can’t be uploaded.",
  } as Record<string, string>,

  texts: {
    tooShort: (min) => `Use at least ${min} characters`,
    tooLong: (max) => `Use at most ${max} characters`,
    characters: "Contains characters that aren’t allowed",
    unreadable: "Enter a name that people can read",
    email: "Enter an email address like name@example.com",
    webAddress: "Enter a web address like example.com",
  } as Record<Exclude<RuleKey, CharacterKind>, RuleText>,

  characterKinds: {
    uppercase: "an uppercase letter",
    lowercase: "a lowercase letter",
    digit: "a number",
    symbol: "a symbol",
  },
  add: (kinds: string[]) => `Add ${list.format(kinds)}`,
  including: (text: string, kinds: string[]) => `${text}, including ${list.format(kinds)}`,
};
