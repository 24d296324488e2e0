import type { RuleKey } from "../../problem.ts";

/** A text, or a function of the number in the rule. */
export type RuleText = string | ((limit: number) => string);

/** What a page shows beside a field that does not meet its rules, for the rules that islands check too. */
export const rules = {
  /** By field. */
  fillIn: { name: "Enter your name" } as Record<string, string>,
  fillInOther: "Fill this in",
  /** For what only a program can get wrong, because no page lets people do it. */
  other: "That isn’t accepted. Check it and try again.",

  texts: {
    tooShort: (min) => `Use at least ${min} characters`,
    tooLong: (max) => `Use at most ${max} characters`,
    characters: "Contains characters that aren’t allowed",
    unreadable: "Enter a name that people can read",
    webAddress: "Enter a web address like example.com",
  } as Partial<Record<RuleKey, RuleText>>,
};
