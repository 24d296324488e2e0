/** What text must fulfil, without zod: the schemas of the server and the forms in the browser share these. */

/** One condition, and what people are told where it does not hold. */
export interface Rule {
  message: string;
  holds(text: string): boolean;
}

/** How a text is judged: `gate` first, then, of what `prepare` makes of it, `rules`. */
export interface TextRules {
  gate: Rule[];
  prepare(text: string): string;
  rules: Rule[];
}

/** What is wrong with a text, in the words for people; nothing is, where the list is empty. */
export function problemsOf({ gate, prepare, rules }: TextRules, text: string): string[] {
  const problems = brokenBy(text, gate);
  return problems.length > 0 ? problems : brokenBy(prepare(text), rules);
}

function brokenBy(text: string, rules: Rule[]): string[] {
  return rules.filter(({ holds }) => !holds(text)).map(({ message }) => message);
}

/** Counts characters as people do more nearly than `length` does: in code points. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Refuses text of more than `max` code points. */
export function notLonger(max: number): Rule {
  return { message: `Must be at most ${max} characters`, holds: (text) => codePoints(text) <= max };
}

/** Refuses text of fewer than `min` code points. */
export function notShorter(min: number): Rule {
  return { message: `Must be at least ${min} characters`, holds: (text) => codePoints(text) >= min };
}

const NOT_ALLOWED = "Has characters that are not allowed";
/** Lone surrogates (Cs) too: different ones would be stored as the same bytes. */
const CONTROL = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

/**
 * The one gate for text from outside: well-formed Unicode without NUL or other control characters, on one line.
 * What PostgreSQL refuses, and what different encoders would take for one another, ends here.
 */
export const ONE_LINE: Rule = { message: NOT_ALLOWED, holds: (text) => !CONTROL.test(text) };

/** As strict as {@linkcode ONE_LINE}, but for line breaks and tabs. */
export const SEVERAL_LINES: Rule = {
  message: NOT_ALLOWED,
  holds: (text) => !CONTROL.test(text.replaceAll(/\r\n|[\n\t]/g, "")),
};
