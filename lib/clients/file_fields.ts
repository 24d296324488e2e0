import { z } from "zod";
import { issueMessage, type Problem } from "../errors/problem.ts";
import { GroupName, GROUPS_OF_PERSON_MAX } from "../groups/schema.ts";
import { URL_MAX } from "../schemas/user_rules.ts";
import { checkText, type TextRules } from "../schemas/rules.ts";

/** The kinds of fields of clients and resources. `file_sentences.ts` says what is wrong with one in CLIENTS_FILE. */

/** Returns the message of a schema: that the field is missing, or what it must be. */
export function required(rule: Problem) {
  return ({ input }: { input: unknown }) => issueMessage(input === undefined ? { rule: "required" } : rule);
}

/** Bounds a text in the API document. Functions check more than that, with texts of their own. */
const BOUND = { maxLength: URL_MAX };

export const text = z.string({ error: required({ rule: "string" }) }).meta(BOUND);
export const flag = z.boolean({ error: required({ rule: "boolean" }) });

/** One of these words. */
export function oneOf<const Values extends readonly string[]>(values: Values) {
  return z.enum(values, { error: required({ rule: "oneOf", values }) });
}

/** A text that follows rules, without white space around it. */
export function ruledText(rules: TextRules, message: string) {
  return text.transform((value, context) => {
    const checked = checkText(rules, value);
    if (checked.problems.length > 0) context.addIssue({ code: "custom", message });
    return checked.text;
  }).meta(BOUND);
}

/** A text with a function that returns what is wrong with it, or null. */
export function checkedText(problemOf: (value: string) => Problem | null) {
  return text.superRefine((value, context) => {
    const problem = problemOf(value);
    if (problem !== null) context.addIssue({ code: "custom", message: issueMessage(problem) });
  }).meta(BOUND);
}

/** A list. An empty one that needs an entry is missing. */
export function listOf<Item extends z.ZodType>(item: Item, { min = 0, max = Infinity } = {}) {
  const list = z.array(item, { error: required({ rule: "list" }) })
    .refine((list) => list.length <= max, issueMessage({ rule: "tooManyEntries", max }))
    .refine((list) => list.length >= min, issueMessage({ rule: "required" }))
    .meta({ minItems: min, ...max < Infinity && { maxItems: max } });
  // One entry too many is enough to refuse the list. The others are not looked at.
  return z.preprocess((value) => Array.isArray(value) ? value.slice(0, max + 1) : value, list);
}

/** Scopes, separated by spaces. */
export const scopeList = text.transform((value) => [...new Set(value.split(" ").filter(Boolean))]).meta(BOUND);

/** The name of a group. */
export const groupName = checkedText((name) => GroupName.safeParse(name).success ? null : { rule: "groupName" });

/** Groups of people. Without the field, everyone. */
export const groups = listOf(groupName, { min: 1, max: GROUPS_OF_PERSON_MAX }).transform((names) => [...new Set(names)])
  .optional();
