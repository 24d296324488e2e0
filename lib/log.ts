/** How much a log line matters. */
export type LogLevel = "info" | "warn" | "error";

/** Writes one JSON object a line; never give it a password, token, cookie or hash. */
export interface Log {
  (level: LogLevel, message: string, fields?: Record<string, unknown>): void;
}

/** A log whose lines go to `write`, by default to standard output. */
export function createLog(write: (line: string, level: LogLevel) => void = printTogether()): Log {
  return (level, message, fields) =>
    write(JSON.stringify({ time: new Date().toISOString(), level, message, ...fields }), level);
}

/** Lines of no urgency wait this long for others: a write for each costs more than the rest of a small request. */
const COLLECT_MS = 20;

/** Prints lines in bunches: when one is more than information, after a while, and when the process ends in order. */
function printTogether(): (line: string, level: LogLevel) => void {
  let lines: string[] = [];
  const print = () => {
    if (lines.length > 0) console.log(lines.join("\n"));
    lines = [];
  };
  globalThis.addEventListener("unload", print);
  return (line, level) => {
    if (lines.push(line) === 1) setTimeout(print, COLLECT_MS);
    if (level !== "info") print();
  };
}

/** What a log line may say of a thrown value: its type, text and stack, and those of its cause. */
export function errorFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error) };
  const { name, message, stack, cause } = error;
  return { error: `${name}: ${message}`, stack, ...(cause === undefined ? {} : { cause: errorFields(cause) }) };
}
