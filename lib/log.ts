/** How much a log line matters. */
export type LogLevel = "info" | "warn" | "error";

/** Writes one JSON object a line; never give it a password, token, cookie or hash. */
export interface Log {
  (level: LogLevel, message: string, fields?: Record<string, unknown>): void;
}

/** A log whose lines go to `write`, by default to standard output. */
export function createLog(write: (line: string) => void = console.log): Log {
  return (level, message, fields) =>
    write(JSON.stringify({ time: new Date().toISOString(), level, message, ...fields }));
}

/** What a log line may say of a thrown value: its type, text and stack, and those of its cause. */
export function errorFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error) };
  const { name, message, stack, cause } = error;
  return { error: `${name}: ${message}`, stack, ...(cause === undefined ? {} : { cause: errorFields(cause) }) };
}
