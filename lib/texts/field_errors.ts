import type { CharacterKind, FieldProblems, Problem, RuleKey } from "../errors/problem.ts";
import { say, type Text } from "./messages.ts";
import type { Texts } from "./texts.ts";

/** The errors that a page shows, by field. */
export type FieldErrors = Record<string, string[]>;

/** The texts for the fields of a form. Only forms with a field for a new password need the texts for one. */
export interface FieldTexts {
  fillIn: Record<string, string>;
  fillInOther: string;
  other: string;
  texts: Partial<Record<RuleKey, Text>>;
  newPassword?: Texts["serverRules"]["newPassword"] & { list(kinds: string[]): string };
}

/**
 * Returns the texts for what is wrong with the fields of a form. An empty field gets one text, whatever rules it
 * breaks.
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

function textsOf(texts: FieldTexts, problems: Problem[]): string[] {
  const found = new Set<string>();
  const names: string[] = [];
  for (const problem of problems) {
    if (isCharacterKind(texts, problem.rule)) names.push(texts.newPassword!.kinds[problem.rule]);
    else found.add(say(texts.texts[problem.rule] ?? texts.other, problem));
  }
  if (names.length === 0) return [...found];
  const { add, including, list } = texts.newPassword!;
  const kinds = list(names);
  return found.size === 1 ? [including({ text: [...found][0], kinds })] : [...found, add({ kinds })];
}

function isCharacterKind({ newPassword }: FieldTexts, rule: RuleKey): rule is CharacterKind {
  return newPassword !== undefined && rule in newPassword.kinds;
}
