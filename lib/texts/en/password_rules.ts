import { type CharacterKind, PASSWORD_BREACHED, PASSWORD_GUESSABLE } from "../../schemas/rules.ts";
import type { RuleText } from "./rules.ts";

/** The list below the field of a new password; see `password.needs`. */
export const checklist: Record<CharacterKind | "tooShort" | "tooLong", RuleText> = {
  tooShort: (min) => `At least ${min} characters`,
  tooLong: (max) => `At most ${max} characters`,
  uppercase: "An uppercase letter",
  lowercase: "A lowercase letter",
  digit: "A number",
  symbol: "A symbol, such as ! or ?",
};

/** Texts for refusals of the server, by API message. */
export const passwordRefusals = {
  [PASSWORD_GUESSABLE]: "Too easy to guess. Avoid common words, your name and your email address",
  [PASSWORD_BREACHED]: "Found in a data breach. Choose a password that you haven’t used before",
};
