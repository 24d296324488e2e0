import type { CharacterKind } from "../../problem.ts";
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
