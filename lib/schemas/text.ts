import { z } from "zod";
import { type DocumentedRules, ONE_LINE_PATTERN } from "./documented_rules.ts";
import { checkText, notLonger, notShorter, ONE_LINE, REQUIRED, type RuleKey, type TextRules } from "./rules.ts";

/** A string. Replaces the messages of zod for an absent value and for a value of another type. */
export function string() {
  return z.string({ error: (issue) => issue.input === undefined ? REQUIRED : "Must be a string" });
}

/**
 * The schema of a text that must meet `rules`. It returns the text in its stored form.
 *
 * @param documented what the API document shows in addition.
 */
export function text(rules: TextRules, documented: DocumentedRules = {}) {
  return string().transform((value, context) => {
    const { text, problems } = checkText(rules, value);
    for (const message of problems) context.addIssue({ code: "custom", message });
    return problems.length === 0 ? text : z.NEVER;
  }).meta({ ...documentedRules(rules), ...documented });
}

/** Lengths and a pattern as JSON Schema, which cannot be read from a transformation. */
function documentedRules({ keepsSpace, gate, rules }: TextRules) {
  const limitOf = (key: RuleKey) => [...rules, ...gate].find((rule) => rule.key === key)?.limit;
  // The lengths are those of the stored text, so the pattern allows no white space around it.
  const pattern = keepsSpace ? ONE_LINE_PATTERN : ONE_LINE_PATTERN.replace("^", "^(?!\\s)").replace("$", "(?<!\\s)$");
  return { minLength: limitOf("tooShort"), maxLength: limitOf("tooLong"), pattern };
}

/** A string on one line that is well-formed Unicode. */
export function line() {
  return string().refine(ONE_LINE.holds, ONE_LINE.message).meta({ pattern: ONE_LINE_PATTERN });
}

/** A string on one line of `min` to `max` code points. The methods of zod would count UTF-16 code units. */
export function lineOf({ min = 0, max }: { min?: number; max: number }) {
  const rules = [notShorter(min), notLonger(max)];
  return rules.reduce((schema, { holds, message }) => schema.refine(holds, message), line())
    .meta({ pattern: ONE_LINE_PATTERN, ...(min > 0 && { minLength: min }), maxLength: max });
}
