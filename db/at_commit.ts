import type { Db } from "./schema.ts";

/**
 * Runs at the end of a transaction that changes something, with its result. If it fails, nothing is changed. It may
 * only read and write rows, because a transaction that conflicts with another runs again.
 */
export type AtCommit<Result> = (trx: Db, result: Result) => Promise<void>;
