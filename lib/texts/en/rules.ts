import type { RuleKey } from "../../problem.ts";

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
  /** For what only a program can get wrong, because no page lets people do it. */
  other: "That isn’t accepted. Check it and try again.",

  texts: {
    tooShort: (min) => `Use at least ${min} characters`,
    tooLong: (max) => `Use at most ${max} characters`,
    characters: "Contains characters that aren’t allowed",
    unreadable: "Enter a name that people can read",
    email: "Enter an email address like name@example.com",
    webAddress: "Enter a web address like example.com",
  } as Partial<Record<RuleKey, RuleText>>,

  characterKinds: {
    uppercase: "an uppercase letter",
    lowercase: "a lowercase letter",
    digit: "a number",
    symbol: "a symbol",
  },
  add: (kinds: string[]) => `Add ${list.format(kinds)}`,
  including: (text: string, kinds: string[]) => `${text}, including ${list.format(kinds)}`,
};
