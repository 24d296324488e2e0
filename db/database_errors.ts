/** What a thrown database error means, by its SQLSTATE or by the words of the driver. */

/** True where a unique key refused a row. Source: PostgreSQL, SQLSTATE 23505. */
export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === "23505";
}

/**
 * True where a transaction lost against another, or against a change of the tables, and was undone: run again it may
 * come to pass. Source: PostgreSQL, SQLSTATE 40001, 40P01.
 */
export function isTransactionConflict(error: unknown): boolean {
  return /^40(001|P01)$/.test(codeOf(error)) || isPlanOutdated(error);
}

/** True where a statement was prepared before its tables changed. Source: PostgreSQL, RevalidateCachedQuery. */
export function isPlanOutdated(error: unknown): boolean {
  return codeOf(error) === "0A000" && (error as { routine?: string }).routine === "RevalidateCachedQuery";
}

/**
 * True where the database cannot be reached or cannot answer in time: the request may be tried again later.
 * Source: PostgreSQL, SQLSTATE classes 08, 28 (lets us not in), 53, 57P and the codes 3D000, 55000 (a database that is not
 * there, or takes nobody), 57014, 25P03, 55P03 (timeouts), 25006 (a standby), 40001, 40P01 (lost against another
 * transaction), 58030 (its disk); Node's socket errors.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  return UNAVAILABLE_CODE.test(code) || UNAVAILABLE_MESSAGE.test(error.message) || isSocketMissing(error, code) ||
    (error instanceof AggregateError && error.errors.some(isDatabaseUnavailable));
}

const UNAVAILABLE_CODE =
  /^(08...|28...|3D000|53...|55000|57P..|58030|57014|25006|25P03|55P03|40001|40P01|ECONN[A-Z]+|EHOST[A-Z]+|ENET[A-Z]+|EADDRNOTAVAIL|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)$/;
/** node-postgres gives these no code; PostgreSQL the last one a code that says more often that a query is wrong. */
const UNAVAILABLE_MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed and is not queryable|PGlite is closed|Cannot use a pool after calling end|permission denied for database)/;

/** The server's socket file; any other missing file is something else. */
function isSocketMissing(error: Error, code: string): boolean {
  return code === "ENOENT" && "syscall" in error && error.syscall === "connect";
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
