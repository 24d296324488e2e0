import type { PGlite, Transaction } from "@electric-sql/pglite";

/** What the system does not let the engine do with a file; privileges, the code's other meaning, nobody lacks here. */
const FILE_REFUSED = "42501";
/** Source: PostgreSQL, io_error. */
const IO_ERROR = "58030";

/**
 * Keeps an engine from being asked anything once it has broken down, as it does where it cannot write its log: on a disk
 * that has become read-only, or is so full that no new log file can be begun. It would go round in circles then, and the
 * whole process with it. What was promised is in the log: the next start finds it.
 */
export function guarded(pglite: PGlite): PGlite {
  let breakdown: unknown;
  const { execProtocolStream, transaction, close } = pglite;

  pglite.execProtocolStream = async (...args) => {
    if (breakdown !== undefined) throw outOfOrder(breakdown);
    try {
      return await execProtocolStream.apply(pglite, args);
    } catch (error) {
      const told = error as { severity?: string; code?: string };
      if (told.code === FILE_REFUSED) told.code = IO_ERROR;
      if (told.severity === "ERROR") throw error;
      // PANIC, or nothing that the engine would tell.
      throw outOfOrder(breakdown = error);
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
      // Kysely waits for ever until it is let in; so it is, and told there.
      return await work({ query: () => Promise.reject(error) } as unknown as Transaction);
    }
  };

  // Half of a change may be in its memory: closing would write that down.
  pglite.close = async () => {
    if (breakdown === undefined) await close.call(pglite);
  };
  return pglite;
}

function outOfOrder(cause: unknown): Error {
  const message = "The embedded database is out of order until its disk is well and the service started again";
  return Object.assign(new Error(message, { cause }), { code: IO_ERROR });
}
