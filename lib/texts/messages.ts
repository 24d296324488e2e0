import format, { type CompiledMessage, type FormatOptions } from "icu-minify/format";

/** Compiled messages by key. Browsers get them in this form, so that they need no parser. */
export interface Messages {
  [key: string]: CompiledMessage | Messages;
}

/** A text, or a function of its arguments. */
// deno-lint-ignore no-explicit-any
export type Text = string | ((values: any) => string);

/** How messages write numbers and dates, and choose plural forms. */
export type Formatters = FormatOptions;

/** Turns compiled messages into texts: those with arguments into functions of them. */
export function textsOf(messages: Messages, locale: string, formatters: Formatters): object {
  const entries = Object.entries(messages).map(([key, part]) => [
    key,
    isGroup(part)
      ? textsOf(part, locale, formatters)
      : typeof part === "string"
      ? part
      : (values: Record<string, string>) => format(part, locale, values, formatters),
  ]);
  return Object.fromEntries(entries);
}

/** Whether it is not a message, but several by key. */
export function isGroup(part: CompiledMessage | Messages): part is Messages {
  return typeof part === "object" && !Array.isArray(part);
}

/** Returns a text, with its arguments if it has any. */
export function say(text: Text, values: object): string {
  return typeof text === "string" ? text : text(values);
}
