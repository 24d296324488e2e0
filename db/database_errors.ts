/** The meaning of database errors, by their SQLSTATE or the message of the driver. */
import { ConfigError } from "../lib/config/config.ts";

/** Another process has the embedded database open. */
export class DatabaseInUseError extends ConfigError {
  override name = "DatabaseInUseError";
}

/** Whether a unique constraint rejected a row. Source: PostgreSQL, SQLSTATE 23505. */
export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === "23505";
}

/** Whether a change would have left no admin. Source: the trigger of migration 0045. */
export function isLastAdmin(error: unknown): boolean {
  return codeOf(error) === "FY001";
}

/** Whether a row refers to one that does not exist. Source: PostgreSQL, SQLSTATE 23503. */
export function isMissingReference(error: unknown): boolean {
  return codeOf(error) === "23503";
}

/**
 * Whether a transaction was rolled back because of a conflict with another transaction or a change of the schema. A
 * retry may succeed. Source: PostgreSQL, SQLSTATE 40001, 40P01, and 0A000 as in {@linkcode isPlanOutdated}.
 */
export function isTransactionConflict(error: unknown): boolean {
  return /^40(001|P01)$/.test(codeOf(error)) || isPlanOutdated(error);
}

/**
 * Whether a change of the schema altered the result of a prepared statement. Source: PostgreSQL, RevalidateCachedQuery.
 */
export function isPlanOutdated(error: unknown): boolean {
  return codeOf(error) === "0A000" && (error as { routine?: string }).routine === "RevalidateCachedQuery";
}

/** Whether the server refused a write, because it is a standby or only reads. Source: PostgreSQL, SQLSTATE 25006. */
export function isReadOnlyError(error: unknown): boolean {
  return codeOf(error) === "25006";
}

/**
 * Whether the database cannot be reached or does not respond in time, so that the request may succeed later. Source:
 * PostgreSQL, SQLSTATE classes 08 (connection), 28 (login refused), 53 (resources) and 57P (shutdown), and the codes
 * 3D000 and 55000 (missing database, or one that accepts no connections), 57014, 25P03 and 55P03 (timeouts), 25006
 * (standby), 40001 and 40P01 (conflict with another transaction), 58030 (disk); Node's errors of sockets and of TLS.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  return UNAVAILABLE_CODE.test(code) || TLS_CODE.test(code) || UNAVAILABLE_MESSAGE.test(error.message) ||
    isSocketMissing(error, code) ||
    (error instanceof AggregateError && error.errors.some(isDatabaseUnavailable));
}

const UNAVAILABLE_CODE =
  /^(08...|28...|3D000|53...|55000|57P..|58030|57014|25006|25P03|55P03|40001|40P01|ECONN[A-Z]+|EHOST[A-Z]+|ENET[A-Z]+|EADDRNOTAVAIL|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)$/;
/** The certificate of the server is not accepted. It may have expired. */
const TLS_CODE =
  /^(CERT_[A-Z_]+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_[A-Z_]+|ERR_TLS_[A-Z_]+)$/;
/**
 * Messages of driver errors without a code. The last one is PostgreSQL's: its code, 42501, also stands for a missing
 * privilege on a table.
 */
const UNAVAILABLE_MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed and is not queryable|PGlite is closed|Cannot use a pool after calling end|The server does not support SSL connections|There was an error establishing an SSL connection|permission denied for database)/;

/** Whether the server's socket file is missing, not some other file. */
function isSocketMissing(error: Error, code: string): boolean {
  return code === "ENOENT" && "syscall" in error && error.syscall === "connect";
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
