import type { ErrorDetails } from "../errors.ts";
import {
  type CharacterKind,
  FILE_REQUIRED,
  REQUIRED,
  type Rule,
  type RuleKey,
  type TextRules,
} from "../schemas/rules.ts";
import type { PASSWORD_RULES } from "../schemas/credential_rules.ts";
import type { Texts } from "./texts.ts";

type RulesByMessage = Map<string, Rule>;
/** The texts for the fields of a form. Only the field of a new password has a list of its rules. */
export type FieldTexts = Omit<Texts["rules"], "checklist">;

/** Returns the rules by their API messages, which include the limits. */
export function rulesByMessage(textRules: TextRules[]): RulesByMessage {
  return new Map(textRules.flatMap(({ gate, rules }) => [...gate, ...rules]).map((rule) => [rule.message, rule]));
}

/**
 * Replaces the API messages in `details` by the catalogue's texts. An empty field gets one text, whatever rules it
 * breaks. Messages that the catalogue does not know stay as they are.
 *
 * @param values what was entered, by field.
 * @param rules the rules of the fields: pages in browsers load only those that they need.
 */
export function fieldErrors(
  texts: FieldTexts,
  details: ErrorDetails,
  { values, rules }: { values: object; rules: RulesByMessage },
): ErrorDetails {
  const entries = Object.entries(details).map(([field, messages]) => {
    const isEmpty = (values as Record<string, unknown>)[field] === "" ||
      messages.includes(REQUIRED) || messages.includes(FILE_REQUIRED);
    return [field, isEmpty ? [emptyText(texts, field, messages, rules)] : textsOf(texts, messages, rules)];
  });
  return Object.fromEntries(entries);
}

/** Only a new password must have characters of several kinds. Login forms have a field of the same name. */
function emptyText(texts: FieldTexts, field: string, messages: string[], rules: RulesByMessage): string {
  const keys = messages.flatMap((message) => rules.get(message)?.key ?? []);
  const isNewPassword = keys.some((key) => isCharacterKind(texts, key));
  return isNewPassword ? texts.choosePassword : texts.fillIn[field] ?? texts.fillInOther;
}

/** The text of a rule in the list below the field of a new password. */
export function checklistText(
  { checklist }: Pick<Texts["rules"], "checklist">,
  { key, limit }: typeof PASSWORD_RULES[number],
): string {
  return format(checklist[key], limit);
}

function textsOf(texts: FieldTexts, messages: string[], rules: RulesByMessage): string[] {
  const found = new Set<string>();
  const kinds: string[] = [];
  for (const message of messages) {
    const rule = rules.get(message);
    if (rule === undefined) found.add(texts.refusals[message] ?? message);
    else if (isCharacterKind(texts, rule.key)) kinds.push(texts.characterKinds[rule.key]);
    else found.add(format(texts.texts[rule.key], rule.limit));
  }
  if (kinds.length === 0) return [...found];
  return found.size === 1 ? [texts.including([...found][0], kinds)] : [...found, texts.add(kinds)];
}

function isCharacterKind({ characterKinds }: FieldTexts, key: RuleKey): key is CharacterKind {
  return key in characterKinds;
}

function format(text: string | ((limit: number) => string), limit = 0): string {
  return typeof text === "function" ? text(limit) : text;
}
