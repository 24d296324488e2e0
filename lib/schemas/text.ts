import { z } from "zod";
import { checkText, notLonger, notShorter, ONE_LINE, REQUIRED, type TextRules } from "./rules.ts";

/** A string. Replaces the messages of zod for an absent value and for a value of another type. */
export function string() {
  return z.string({ error: (issue) => issue.input === undefined ? REQUIRED : "Must be a string" });
}

/** The schema of a text that must meet `rules`. It returns the text in its stored form. */
export function text(rules: TextRules) {
  return string().transform((value, context) => {
    const { text, problems } = checkText(rules, value);
    for (const message of problems) context.addIssue({ code: "custom", message });
    return problems.length === 0 ? text : z.NEVER;
  });
}

/** A string on one line that is well-formed Unicode. */
export function line() {
  return string().refine(ONE_LINE.holds, ONE_LINE.message);
}

/** Refuses text of more than `max` code points. */
export function atMost(max: number): [(text: string) => boolean, string] {
  const { holds, message } = notLonger(max);
  return [holds, message];
}

/** Refuses text of fewer than `min` code points. */
export function atLeast(min: number): [(text: string) => boolean, string] {
  const { holds, message } = notShorter(min);
  return [holds, message];
}
