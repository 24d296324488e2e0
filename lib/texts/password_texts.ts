import { PASSWORD_RULES } from "../schemas/credential_rules.ts";
import { say } from "./messages.ts";
import type { Language, Texts } from "./texts.ts";

/** The texts of the field for a new password. They have no arguments, so that its script needs no formatter. */
export type PasswordTexts = Texts["password"] & { rules: Record<string, string> };

/** Returns the texts of the field for a new password, with those of its rules. */
export function passwordTexts({ texts: { password, passwordRules } }: Language): PasswordTexts {
  const rules = PASSWORD_RULES.map(({ problem }) => [problem.rule, say(passwordRules[problem.rule], problem)]);
  return { ...password, rules: Object.fromEntries(rules) };
}
