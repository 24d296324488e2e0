/** The conditions that text must meet. This file is free of zod, so that forms in the browser can check them too. */

import type { Problem, RuleKey } from "../errors/problem.ts";

/** One condition on a text. */
export interface Rule<Key extends RuleKey = RuleKey> {
  /** What is wrong with a text that breaks the rule. */
  problem: Problem<Key>;
  holds(text: string): boolean;
  /** The same, if it depends on the text. */
  problemOf?(text: string): Problem;
}

/** How a text is checked: it is trimmed and must pass `gate`; then it is prepared and must pass `rules`. */
export interface TextRules {
  /** Keeps white space around the text. In a password it is significant. */
  keepsSpace?: true;
  /** Must be fast for text of any length. */
  gate: Rule[];
  /** Returns the form in which the text is stored. By default the text is stored unchanged. */
  prepare?(text: string): string;
  rules: Rule[];
}

/** The text in its stored form, and the rules that it breaks. */
export interface CheckedText {
  text: string;
  problems: Problem[];
}

/** Checks a text against its rules. */
export function checkText({ keepsSpace, gate, prepare, rules }: TextRules, input: string): CheckedText {
  const text = keepsSpace ? input : input.trim();
  const problems = brokenRules(gate, text);
  if (problems.length > 0) return { text, problems };
  const prepared = prepare?.(text) ?? text;
  return { text: prepared, problems: brokenRules(rules, prepared) };
}

function brokenRules(rules: Rule[], text: string): Problem[] {
  return rules.filter(({ holds }) => !holds(text)).map(({ problem, problemOf }) => problemOf?.(text) ?? problem);
}

/** Counts code points, which are closer than `length` to what people count as characters. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Refuses text of more than `max` code points. */
export function notLonger(max: number): Rule<"tooLong"> {
  return {
    problem: { rule: "tooLong", max },
    holds: (text) => text.length <= 2 * max && codePoints(text) <= max,
  };
}

/** The same, and says how many code points are too many. */
export function notLongerCounted(max: number): Rule<"tooLong"> {
  return { ...notLonger(max), problemOf: (text) => ({ rule: "tooLongBy", max, by: codePoints(text) - max }) };
}

/** NFKC composes at most this many code points into one. Source: Unicode Standard Annex 15 (4 in U+1F82). */
const COMPOSED_MAX = 4;
/** A code point has at most this many code units in UTF-16. */
const UNITS_MAX = 2;

/**
 * Refuses text that must have more than `max` code points in NFKC, however it is composed. It does not normalize the
 * text, because that takes time quadratic in the length of a run of combining marks.
 */
export function notLongerInNfkc(max: number): Rule<"tooLong"> {
  return { ...notLonger(max), holds: (text) => text.length <= max * COMPOSED_MAX * UNITS_MAX };
}

/** Refuses text of fewer than `min` code points. */
export function notShorter(min: number): Rule<"tooShort"> {
  return {
    problem: { rule: "tooShort", min },
    holds: (text) => codePoints(text) >= min,
  };
}

const NOT_ALLOWED: Problem = { rule: "characters" };
/** Includes lone surrogates (Cs), because an encoder would store all of them as the same bytes. */
const CONTROL = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

/**
 * Accepts one line of well-formed Unicode without NUL or other control characters. Every text from outside passes this
 * rule or {@linkcode SEVERAL_LINES}: PostgreSQL refuses NUL, and encoders disagree about ill-formed text.
 */
export const ONE_LINE: Rule = { problem: NOT_ALLOWED, holds: (text) => !CONTROL.test(text) };

/** As strict as {@linkcode ONE_LINE}, but allows line breaks and tabs. */
export const SEVERAL_LINES: Rule = {
  problem: NOT_ALLOWED,
  holds: (text) => !CONTROL.test(text.replaceAll(/\r\n|[\n\t]/g, "")),
};
