/** What text must fulfil, without zod: the schemas of the server and the forms in the browser share these. */

/** One condition, and what people are told where it does not hold. */
export interface Rule {
  message: string;
  holds(text: string): boolean;
}

/** How a text is checked: it is trimmed and must pass `gate`; then it is prepared and must pass `rules`. */
export interface TextRules {
  /** Leaves the white space around the text: in a password it counts. */
  keepsSpace?: true;
  /** Must be cheap for text of any length. */
  gate: Rule[];
  /** The form in which the text is stored; by default as it is. */
  prepare?(text: string): string;
  rules: Rule[];
}

/** The text as it is stored, and the problems with it in words for people. */
export interface CheckedText {
  text: string;
  problems: string[];
}

/** Checks a text against its rules. */
export function checkText({ keepsSpace, gate, prepare, rules }: TextRules, input: string): CheckedText {
  const text = keepsSpace ? input : input.trim();
  const problems = brokenBy(text, gate);
  if (problems.length > 0) return { text, problems };
  const prepared = prepare?.(text) ?? text;
  return { text: prepared, problems: brokenBy(prepared, rules) };
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
  return {
    message: `Must be at most ${max} characters`,
    holds: (text) => text.length <= 2 * max && codePoints(text) <= max,
  };
}

/** NFKC composes at most this many code points into one. Source: Unicode Standard Annex 15 (4 in U+1F82). */
const COMPOSED_MAX = 4;
/** A code point has at most this many code units, in UTF-16. */
const UNITS_MAX = 2;

/**
 * Refuses text that is longer than `max` code points in NFKC, whatever it is composed of. It needs no normalization,
 * whose time grows with the square of a run of combining marks.
 */
export function notLongerInNfkc(max: number): Rule {
  return { ...notLonger(max), holds: (text) => text.length <= max * COMPOSED_MAX * UNITS_MAX };
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
