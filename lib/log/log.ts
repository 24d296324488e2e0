/** The severity of a log line. */
export type LogLevel = "info" | "warn" | "error";

/** Writes a line: one JSON object, or in development a text. Never pass it a password, token, cookie or hash. */
export interface Log {
  (level: LogLevel, message: string, fields?: Record<string, unknown>): void;
}

/** Turns what is logged into a line. */
export type LogFormat = (time: string, ...line: Parameters<Log>) => string;

/** From the least severe. */
const LEVELS: LogLevel[] = ["info", "warn", "error"];

/**
 * Creates a log that passes its lines to `write`, by default to standard output.
 *
 * @param from the least severe level that is written.
 */
export function createLog(
  write: (line: string, level: LogLevel) => void = printInBatches(),
  format: LogFormat = jsonLine,
  from: LogLevel = "info",
): Log {
  const time = formatOncePerMillisecond();
  const written = LEVELS.slice(LEVELS.indexOf(from));
  return (level, message, fields) => {
    if (written.includes(level)) write(format(time(), level, message, fields), level);
  };
}

const jsonLine: LogFormat = (time, level, message, fields) => JSON.stringify({ time, level, message, ...fields });

/** Formatting the time of each line takes longer than the rest of the line. */
function formatOncePerMillisecond(): () => string {
  let [milliseconds, text] = [0, ""];
  return () => {
    const now = Date.now();
    if (now !== milliseconds) [milliseconds, text] = [now, new Date(now).toISOString()];
    return text;
  };
}

/** How long info lines are collected before they are written: one write per line costs more than a small request. */
const COLLECT_MS = 20;

/** Prints collected lines after a short time, with each warning or error, and when the process exits. */
function printInBatches(): (line: string, level: LogLevel) => void {
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

/** What Deno adds to the message of a missing permission. No one should start the service with more permissions. */
const PERMISSION_HINT = /, run again with the --allow-[a-z]+ flag/g;
const OWN_HINT = ". The service may use only files in its own folder and in DATA_DIR";

/**
 * A service on which this one depends does not respond, or responds with an error. The message has its address and the
 * reason. The log has it in the field `reason`, and no stack: nothing in the code is wrong.
 */
export class OutageError extends Error {
  override name = "OutageError";
}

/** Returns the log fields of a thrown value: its name, message, stack and cause. */
export function errorFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error) };
  const { name, stack, cause } = error;
  const described = `${name}: ${messageOf(error)}`;
  const outage = outageIn(error);
  if (outage !== undefined) return { error: described, reason: outage.message };
  return {
    error: described,
    stack: stack?.replaceAll(PERMISSION_HINT, OWN_HINT),
    ...(cause === undefined ? {} : { cause: errorFields(cause) }),
  };
}

/** Returns the outage that a thrown value is or was caused by. */
function outageIn(error: unknown): OutageError | undefined {
  if (error instanceof OutageError) return error;
  return error instanceof Error && error.cause !== undefined ? outageIn(error.cause) : undefined;
}

/** Returns the message of a thrown value, without advice that does not fit the service. */
export function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll(PERMISSION_HINT, OWN_HINT);
}

/** Returns the message of the innermost cause of a thrown value: `fetch` says only there what has failed. */
export function innermostMessageOf(error: unknown): string {
  return error instanceof Error && error.cause !== undefined ? innermostMessageOf(error.cause) : messageOf(error);
}
