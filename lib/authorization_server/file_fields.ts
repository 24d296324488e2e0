import { z } from "zod";
import { GroupName, GROUPS_OF_PERSON_MAX } from "../groups/schema.ts";
import { checkText, type TextRules } from "../schemas/rules.ts";

/** The kinds of fields in CLIENTS_FILE. Their messages stand after the position of the field. */

/** Returns the message of a schema: that the field is missing, or what it must be. */
export function required(rule: string) {
  return ({ input }: { input: unknown }) => input === undefined ? "is required" : rule;
}

export const text = z.string({ error: required("must be a text") });
export const flag = z.boolean({ error: required("must be true or false") });

/** A text that follows rules, without white space around it. */
export function ruledText(rules: TextRules, message: string) {
  return text.transform((value, context) => {
    const checked = checkText(rules, value);
    if (checked.problems.length > 0) context.addIssue({ code: "custom", message });
    return checked.text;
  });
}

/** A text with a function that returns what is wrong with it, or null. */
export function checkedText(problemOf: (value: string) => string | null) {
  return text.superRefine((value, context) => {
    const problem = problemOf(value);
    if (problem !== null) context.addIssue({ code: "custom", message: problem });
  });
}

/** A list. An empty one is a problem if `empty` says so. */
export function listOf<Item extends z.ZodType>(
  item: Item,
  { max = Infinity, empty }: { max?: number; empty?: string } = {},
) {
  return z.array(item, { error: required("must be a list") })
    .refine((list) => list.length <= max, `must have at most ${max} entries`)
    .refine((list) => empty === undefined || list.length > 0, empty);
}

/** Scopes, separated by spaces. */
export const scopeList = text.transform((value) => [...new Set(value.split(" ").filter(Boolean))]);

/** Groups of people. Without the field, everyone. */
export const groups = listOf(
  checkedText((name) =>
    GroupName.safeParse(name).success
      ? null
      : "must be 1 to 40 lowercase letters, digits, dots, hyphens and underscores, the first a letter or digit"
  ),
  { max: GROUPS_OF_PERSON_MAX, empty: "must name a group" },
).transform((names) => [...new Set(names)]).optional();
