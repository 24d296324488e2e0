import type { Db, LongWork } from "./schema.ts";

/** How busy the connections of this process are. */
export interface ConnectionUse {
  max: number;
  used: number;
  /** How many queries and transactions wait for a connection. */
  waiting: number;
}

/** An open database, whichever engine it runs on. */
export interface DatabaseHandle {
  db: Db;
  /** Brings the schema up to date. Any number of instances may call it at once. */
  migrate(): Promise<void>;
  /** Throws unless the database has been migrated. */
  requireMigrated(): Promise<void>;
  /** Frees the space of deleted rows if the engine does not do so itself. Call it regularly. */
  tidy(): Promise<void>;
  longWork: LongWork;
  connectionUse(): ConnectionUse;
  close(): Promise<void>;
}
