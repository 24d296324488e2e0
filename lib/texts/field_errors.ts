import type { CharacterKind, FieldProblems, Problem, RuleKey } from "../problem.ts";
import type { PASSWORD_RULES } from "../schemas/credential_rules.ts";
import type { RuleText } from "./en/rules.ts";
import type { Texts } from "./texts.ts";

/** The errors that a page shows, by field. */
export type FieldErrors = Record<string, string[]>;

type RuleTexts = Texts["rules"];

/** The texts for the fields of a form. Only forms with a field for a new password need the texts for one. */
export type FieldTexts =
  & Pick<RuleTexts, "fillIn" | "fillInOther" | "other" | "texts">
  & Partial<Pick<RuleTexts, "newPassword">>;

/**
 * Returns the texts for what is wrong with the fields of a form. An empty field gets one text, whatever rules it breaks.
 *
 * @param values what was entered, by field.
 */
export function fieldErrors(texts: FieldTexts, problems: FieldProblems, values: object): FieldErrors {
  const entries = Object.entries(problems).map(([field, broken]) => {
    const isEmpty = (values as Record<string, unknown>)[field] === "" ||
      broken.some(({ rule }) => rule === "required" || rule === "file");
    return [field, isEmpty ? [emptyText(texts, field, broken)] : textsOf(texts, broken)];
  });
  return Object.fromEntries(entries);
}

/** Only a new password must have characters of several kinds. Login forms have a field of the same name. */
function emptyText(texts: FieldTexts, field: string, problems: Problem[]): string {
  const isNewPassword = problems.some(({ rule }) => isCharacterKind(texts, rule));
  return isNewPassword ? texts.newPassword!.choose : texts.fillIn[field] ?? texts.fillInOther;
}

/** The text of a rule in the list below the field of a new password. */
export function checklistText(
  { checklist }: Pick<RuleTexts, "checklist">,
  { problem }: typeof PASSWORD_RULES[number],
): string {
  return format(checklist[problem.rule], problem);
}

function textsOf(texts: FieldTexts, problems: Problem[]): string[] {
  const found = new Set<string>();
  const kinds: string[] = [];
  for (const problem of problems) {
    if (isCharacterKind(texts, problem.rule)) kinds.push(texts.newPassword!.kinds[problem.rule]);
    else found.add(format(texts.texts[problem.rule] ?? texts.other, problem));
  }
  if (kinds.length === 0) return [...found];
  const { add, including } = texts.newPassword!;
  return found.size === 1 ? [including([...found][0], kinds)] : [...found, add(kinds)];
}

function isCharacterKind({ newPassword }: FieldTexts, rule: RuleKey): rule is CharacterKind {
  return newPassword !== undefined && rule in newPassword.kinds;
}

/** Texts are functions of the only number of their rule. */
function format(text: RuleText, problem: Problem): string {
  if (typeof text === "string") return text;
  const { min, max = min } = problem as { min?: number; max?: number };
  return text(max!);
}
