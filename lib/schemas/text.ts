import { z } from "zod";
import { type DocumentedRules, said } from "./documented_rules.ts";
import { issueMessage, type Problem } from "../errors/problem.ts";
import { checkText, notLonger, notShorter, ONE_LINE, type TextRules } from "./rules.ts";

/** A string. Replaces the messages of zod for an absent value and for a value of another type. */
export function string() {
  return z.string({ error: ({ input }) => issueMessage({ rule: input === undefined ? "required" : "string" }) });
}

/**
 * The schema of a text that must meet `rules`. It returns the text in its stored form.
 *
 * @param documented what the API document shows in addition.
 */
export function text(rules: TextRules, documented: DocumentedRules = {}) {
  return string().transform((value, context) => {
    const { text, problems } = checkText(rules, value);
    for (const problem of problems) context.addIssue({ code: "custom", message: issueMessage(problem) });
    return problems.length === 0 ? text : z.NEVER;
  }).meta({ ...documentedRules(rules), ...documented });
}

/** Lengths as JSON Schema, which cannot be read from a transformation, and the rule that most texts share. */
function documentedRules({ keepsSpace, gate, rules }: TextRules) {
  const problems = [...rules, ...gate].map(({ problem }) => problem);
  const tooShort = problems.find(({ rule }) => rule === "tooShort") as Problem<"tooShort"> | undefined;
  const tooLong = problems.find(({ rule }) => rule === "tooLong") as Problem<"tooLong"> | undefined;
  const description = keepsSpace ? said("oneLine") : said("oneLine", "trimmed");
  return { minLength: tooShort?.min, maxLength: tooLong?.max, description };
}

/** A string on one line that is well-formed Unicode. */
export function line(of = string()) {
  return of.refine(ONE_LINE.holds, issueMessage(ONE_LINE.problem)).meta({ description: said("oneLine") });
}

/**
 * A string on one line of `min` to `max` code points. The methods of zod would count UTF-16 code units.
 *
 * @param options.of the schema of the string, if it is changed first.
 */
export function lineOf({ min = 0, max, of }: { min?: number; max: number; of?: ReturnType<typeof string> }) {
  const rules = [notShorter(min), notLonger(max)];
  return rules.reduce((schema, { holds, problem }) => schema.refine(holds, issueMessage(problem)), line(of))
    .meta({ description: said("oneLine"), ...(min > 0 && { minLength: min }), maxLength: max });
}

/** A checkbox. Browsers send it only if it is checked. */
export const Checkbox = z.string().optional().transform((value) => value !== undefined);
