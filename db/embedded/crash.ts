import type { PGlite, Transaction } from "@electric-sql/pglite";

/** Here, SQLSTATE 42501 always means that the system refused a file operation, never a missing database privilege. */
const FILE_REFUSED = "42501";
/** Source: PostgreSQL, io_error. */
const IO_ERROR = "58030";

/**
 * Rejects all queries after the engine has crashed. It crashes if it cannot write its log, because the disk is
 * read-only or too full for a new log file. Another query would then loop forever and block the process. Committed data
 * is in the log, and the next start recovers it.
 */
export function failFastAfterCrash(pglite: PGlite): PGlite {
  let crash: unknown;
  const { execProtocolStream, transaction, close } = pglite;

  pglite.execProtocolStream = async (...args) => {
    if (crash !== undefined) throw crashed(crash);
    try {
      return await execProtocolStream.apply(pglite, args);
    } catch (error) {
      const reported = error as { severity?: string; code?: string };
      if (reported.code === FILE_REFUSED) reported.code = IO_ERROR;
      if (reported.severity === "ERROR") throw error;
      // Either a PANIC, or an error that the engine did not report.
      throw crashed(crash = error);
    }
  };

  pglite.transaction = async <T>(work: (trx: Transaction) => Promise<T>): Promise<T> => {
    let hasBegun = false;
    const begin = (trx: Transaction) => {
      hasBegun = true;
      return work(trx);
    };
    try {
      return await transaction.call(pglite, begin) as T;
    } catch (error) {
      if (hasBegun) throw error;
      // Kysely waits until this callback runs, so run it with a connection that rejects every query.
      return await work({ query: () => Promise.reject(error) } as unknown as Transaction);
    }
  };

  // After a crash, closing would write an incomplete change from memory to the disk.
  pglite.close = async () => {
    if (crash === undefined) await close.call(pglite);
  };
  return pglite;
}

function crashed(cause: unknown): Error {
  const message = "The embedded database has crashed. Repair or free its disk, then restart Foyer";
  return Object.assign(new Error(message, { cause }), { code: IO_ERROR });
}
