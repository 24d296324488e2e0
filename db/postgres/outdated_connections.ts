import type pg from "pg";
import { SECOND_MS } from "../../lib/duration.ts";
import type { Log } from "../../lib/log/log.ts";
import { READ_ONLY_REASONS, type ReadOnlyReason } from "../read_only.ts";

/**
 * How long a connection serves that was read-only when it was opened. After a failover, the address soon leads to the
 * new primary, while the old one may go on answering reads with what it had.
 */
const READ_ONLY_LIFE_MS = 1_000;

interface Opened {
  atMs: number;
  isReadOnly: boolean;
}

/** Tells which connections lead to a server that is no longer the primary, and logs when that happens and ends. */
export class OutdatedConnections {
  #opened = new WeakMap<pg.ClientBase, Opened>();
  #leaveBeforeMs = -Infinity;
  #readOnlySinceMs: number | null = null;
  #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /**
   * Records a new connection.
   *
   * @param atMs when the server was asked whether it takes writes, from `performance.now()`.
   * @param reason why it takes none; null if it does.
   */
  opened(client: pg.ClientBase, atMs: number, reason: ReadOnlyReason | null): void {
    this.#opened.set(client, { atMs, isReadOnly: reason !== null });
    const since = this.#readOnlySinceMs;
    if (reason !== null && since === null) {
      this.#readOnlySinceMs = atMs;
      this.#log("error", "the database is read-only", { cause: READ_ONLY_REASONS[reason] });
    } else if (reason === null && since !== null) {
      this.#readOnlySinceMs = null;
      const readOnlySeconds = Math.round((atMs - since) / SECOND_MS);
      this.#log("warn", "the database takes writes again", { readOnlySeconds });
    }
  }

  /** Records that a connection refused a write. If it took writes before, all that are as old are outdated, too. */
  refusedWrite(client: pg.ClientBase): void {
    if (this.#opened.get(client)?.isReadOnly) return;
    this.#leaveBeforeMs = performance.now();
  }

  /** Whether a connection should be closed instead of used. */
  has(client: pg.ClientBase): boolean {
    const { atMs = -Infinity, isReadOnly = false } = this.#opened.get(client) ?? {};
    return atMs < this.#leaveBeforeMs || (isReadOnly && performance.now() - atMs > READ_ONLY_LIFE_MS);
  }
}
