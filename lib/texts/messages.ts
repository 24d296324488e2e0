import format, { type CompiledMessage, type FormatOptions } from "icu-minify/format";
import { isolated } from "./isolation.ts";

/** Compiled messages by key. Browsers get them in this form, so that they need no parser. */
export interface Messages {
  [key: string]: CompiledMessage | Messages;
}

/** A text, or a function of its arguments. */
// deno-lint-ignore no-explicit-any
export type Text = string | ((values: any) => string);

/** How messages write numbers and dates, and choose plural forms. */
export type Formatters = FormatOptions;

/** The tag around each argument that a compiled message inserts. */
export const ISOLATED = "own";

/** How a language writes. */
export interface Writing {
  /** The variant whose dates and numbers it uses. */
  locale: string;
  direction: "ltr" | "rtl";
}

/** Turns compiled messages into texts: those with arguments into functions of them. */
export function textsOf(messages: Messages, writing: Writing, formatters: Formatters): object {
  const tags = { [ISOLATED]: (parts: string[]) => isolated(parts.join(""), writing.direction) };
  const entries = Object.entries(messages).map(([key, part]) => [
    key,
    typeof part === "string"
      ? part
      : isGroup(part)
      ? textsOf(part, writing, formatters)
      : (values: Record<string, string>) => format(part, writing.locale, { ...values, ...tags }, formatters),
  ]);
  return Object.fromEntries(entries);
}

/** Whether it is not a message, but several by key. */
export function isGroup(part: CompiledMessage | Messages): part is Messages {
  return typeof part !== "string" && !Array.isArray(part);
}

/** Returns a text, with its arguments if it has any. */
export function say(text: Text, values: object): string {
  return typeof text === "string" ? text : text(values);
}
