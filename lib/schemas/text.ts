import { z } from "zod";
import { checkText, notLonger, notShorter, ONE_LINE, type TextRules } from "./rules.ts";

/** A string whose absence and whose wrong type are told in words for people. */
export function string() {
  return z.string({ error: (issue) => issue.input === undefined ? "Required" : "Must be text" });
}

/** The schema of text under rules; what it gives is the prepared text. */
export function text(rules: TextRules) {
  return string().transform((value, context) => {
    const { text, problems } = checkText(rules, value);
    for (const message of problems) context.addIssue({ code: "custom", message });
    return problems.length === 0 ? text : z.NEVER;
  });
}

/** Text that passes the gate: well-formed, on one line. */
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
