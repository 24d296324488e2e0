import type { Db } from "./schema.ts";

/** What waits for the commit of a transaction: a background worker. */
interface Wakeable {
  wake(): void;
}

const signals = new WeakMap<Db, Set<Wakeable>>();

/**
 * Wakes a worker once the transaction is committed. If it is rolled back, nothing happens, and a retry starts afresh.
 * The worker would find the rows anyway, but only at its next poll.
 */
export function wakeAfterCommit(trx: Db, signal: Wakeable): void {
  signals.get(trx)?.add(signal);
}

/** Wakes no worker after this transaction. */
export function forgetWakes(trx: Db): void {
  signals.get(trx)?.clear();
}

/** Makes the transactions of this pool wake the workers that they have named. */
export function wakeAfterTransactions(db: Db): Db {
  const begin = db.transaction.bind(db);
  db.transaction = () => {
    const transaction = begin();
    const execute = transaction.execute.bind(transaction);
    transaction.execute = async (work) => {
      let woken = new Set<Wakeable>();
      const result = await execute((trx) => {
        woken = new Set();
        signals.set(trx, woken);
        return work(trx);
      });
      for (const signal of woken) signal.wake();
      return result;
    };
    return transaction;
  };
  return db;
}
