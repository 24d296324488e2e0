import type { PGlite, Transaction } from "@electric-sql/pglite";

/** The system refused a file operation. The code's other meaning, missing privileges, cannot occur here. */
const FILE_REFUSED = "42501";
/** Source: PostgreSQL, io_error. */
const IO_ERROR = "58030";

/**
 * Stops all queries once the engine has crashed, which happens when it cannot write its log because the disk has become
 * read-only or too full for a new log file. Another query would then loop forever and block the process. Committed data
 * is in the log, and the next start recovers it.
 */
export function guarded(pglite: PGlite): PGlite {
  let crash: unknown;
  const { execProtocolStream, transaction, close } = pglite;

  pglite.execProtocolStream = async (...args) => {
    if (crash !== undefined) throw outOfOrder(crash);
    try {
      return await execProtocolStream.apply(pglite, args);
    } catch (error) {
      const reported = error as { severity?: string; code?: string };
      if (reported.code === FILE_REFUSED) reported.code = IO_ERROR;
      if (reported.severity === "ERROR") throw error;
      // PANIC, or not an error report of the engine at all.
      throw outOfOrder(crash = error);
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
      // Kysely would wait forever for its callback, so it gets the error through it.
      return await work({ query: () => Promise.reject(error) } as unknown as Transaction);
    }
  };

  // Closing would write to disk what is in memory, which may be half of a change.
  pglite.close = async () => {
    if (crash === undefined) await close.call(pglite);
  };
  return pglite;
}

function outOfOrder(cause: unknown): Error {
  const message = "The embedded database is out of order until its disk is well and the service started again";
  return Object.assign(new Error(message, { cause }), { code: IO_ERROR });
}
