import type { LogFormat } from "./log.ts";

const INDENT = " ".repeat("12:34:56.789 ".length);
/** Control characters, with which a client could move the cursor of a terminal. */
// deno-lint-ignore no-control-regex
const CONTROL = /[\x00-\x1f\x7f-\x9f]/g;
/** Fields that are part of the line itself, or only programs need. */
const SPECIAL = ["requestId", "method", "path", "status", "durationMs", "refusal", "stack", "cause"];

/**
 * Formats a log line for people, as development shows it: one line, and below it the reason of a refusal or the stack.
 */
export const readableLine: LogFormat = (time, level, message, fields = {}) => {
  const { refusal } = fields;
  const event = EVENTS[message]?.(fields);
  const others = event === undefined ? Object.entries(fields).filter(isShown) : [];
  const first = [clock(time), ...level === "info" ? [] : [level.toUpperCase()], event ?? message, ...others.map(pair)]
    .join(" ");
  const below = [...refusal === undefined ? [] : [String(refusal)], ...stackLines(fields)];
  return [first, ...below.map((line) => INDENT + line)].map((line) => line.replaceAll(CONTROL, "?")).join("\n");
};

/** What people read in place of a message and its fields. */
const EVENTS: Record<string, ((fields: Record<string, unknown>) => string) | undefined> = {
  request: ({ method, path, status, durationMs }) => `${status} ${method} ${path} ${durationMs} ms`,
  "migrations applied": ({ migrations, durationMs }) =>
    `migrations applied: ${(migrations as string[]).length}, in ${durationMs} ms`,
};

function isShown([name, value]: [string, unknown]): boolean {
  return value !== undefined && !SPECIAL.includes(name);
}

/** Whether people read the log: a terminal in development shows text, unless LOG_FORMAT says otherwise. */
export function isLogReadable(
  { logFormat, isProduction }: { logFormat: string | undefined; isProduction: boolean },
): boolean {
  return logFormat === undefined ? !isProduction && Deno.stdout.isTerminal() : logFormat === "text";
}

/** Returns the time of day, in the time zone of this machine. */
function clock(time: string): string {
  const date = new Date(time);
  return `${date.toTimeString().slice(0, 8)}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

function pair([name, value]: [string, unknown]): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return `${name}=${/^\S+$/.test(text) ? text : JSON.stringify(text)}`;
}

/** Returns the stack of an error, and of its causes. */
function stackLines({ stack, cause }: Record<string, unknown>): string[] {
  const own = typeof stack === "string" ? stack.split("\n") : [];
  if (typeof cause !== "object" || cause === null) return own;
  const below = stackLines(cause as Record<string, unknown>);
  return [...own, ...below.length > 0 ? ["Caused by:", ...below] : [`Caused by: ${JSON.stringify(cause)}`]];
}
