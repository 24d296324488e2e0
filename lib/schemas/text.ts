import { z } from "zod";

/** Counts characters as people do more nearly than `length` does: in code points. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** A string whose absence and whose wrong type are told in words for people. */
export function string() {
  return z.string({ error: (issue) => issue.input === undefined ? "Required" : "Must be text" });
}

/**
 * The one gate for text from outside: well-formed Unicode without NUL or other control characters, on one line.
 * What PostgreSQL refuses, and what different encoders would take for one another, ends here.
 */
export function line() {
  return string().refine((text) => text.isWellFormed() && !CONTROL.test(text), "Has characters that are not allowed");
}

/** Text with line breaks and tabs, otherwise as strict as {@linkcode line}; CRLF, which forms send, becomes LF. */
export function lines() {
  return string().transform((text) => text.replaceAll("\r\n", "\n"))
    .refine(
      (text) => text.isWellFormed() && !CONTROL.test(text.replaceAll(/[\n\t]/g, "")),
      "Has characters that are not allowed",
    );
}

/** Refuses text of more than `max` code points. */
export function atMost(max: number): [(text: string) => boolean, string] {
  return [(text) => codePoints(text) <= max, `Must be at most ${max} characters`];
}

/** Refuses text of fewer than `min` code points. */
export function atLeast(min: number): [(text: string) => boolean, string] {
  return [(text) => codePoints(text) >= min, `Must be at least ${min} characters`];
}

const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;
