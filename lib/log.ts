/** How much a log line matters. */
export type LogLevel = "info" | "warn" | "error";

/** Writes one JSON object a line; never give it a password, token, cookie or hash. */
export interface Log {
  (level: LogLevel, message: string, fields?: Record<string, unknown>): void;
}

/** A log whose lines go to `write`, by default to standard output. */
export function createLog(write: (line: string) => void = printTogether()): Log {
  return (level, message, fields) =>
    write(JSON.stringify({ time: new Date().toISOString(), level, message, ...fields }));
}

/** Lines wait this long for others: a write for each costs more than the rest of a small request. */
const COLLECT_MS = 20;

/** Prints lines in bunches, the last one when the process ends in order. */
function printTogether(): (line: string) => void {
  let lines: string[] = [];
  const print = () => {
    if (lines.length > 0) console.log(lines.join("\n"));
    lines = [];
  };
  globalThis.addEventListener("unload", print);
  return (line) => {
    if (lines.push(line) === 1) setTimeout(print, COLLECT_MS);
  };
}

/** What a log line may say of a thrown value: its type, text and stack, and those of its cause. */
export function errorFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error) };
  const { name, message, stack, cause } = error;
  return { error: `${name}: ${message}`, stack, ...(cause === undefined ? {} : { cause: errorFields(cause) }) };
}
