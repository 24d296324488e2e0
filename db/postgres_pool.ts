import { createHash } from "node:crypto";
import type { PostgresPool } from "kysely";
import pg from "pg";
import { isPlanOutdated } from "../lib/database_errors.ts";
import { errorFields, type Log } from "../lib/log.ts";

/** How many connections there are, and how long each part of a query may take. */
export interface PoolLimits {
  connections: number;
  /** For a connection, a new one or one that others use. */
  waitMs: number;
  /** For an answer. The server is to give up first, at `statement_timeout`: that leaves the connection whole. */
  answerMs: number;
}

/** Connections that were asked something, and how often they have been looked at since. */
type Unanswered = Map<pg.PoolClient, number>;

/** How often unanswered queries are looked for: a timer for each would be a tenth of what a small query costs. */
const WATCH_MS = 200;
const CONNECTION_LIFE_SECONDS = 600;

/** Connections to PostgreSQL that nobody waits for longer than the limits allow. */
export function openPool(
  settings: pg.PoolConfig,
  { connections, waitMs, answerMs }: PoolLimits,
  log: Log,
): PostgresPool {
  const pool = new pg.Pool({
    ...settings,
    max: connections,
    keepAlive: true,
    idleTimeoutMillis: 0, // they end with their life
    maxLifetimeSeconds: CONNECTION_LIFE_SECONDS,
    Client: class extends pg.Client {
      constructor(config?: pg.ClientConfig) {
        super({ ...config, connectionTimeoutMillis: waitMs });
      }
    },
  });
  // Without listeners a connection that breaks would end the process.
  // The pool listens to a connection only while that is idle: the second one is for those in the middle of something.
  const noteLoss = (error: Error) => log("warn", "database connection lost", errorFields(error));
  const unanswered: Unanswered = new Map();
  const names = new StatementNames();
  pool.on("error", noteLoss).on("connect", (client) => {
    client.on("error", noteLoss);
    noteQueries(client, unanswered, names);
  });
  const watch = setInterval(() => endUnanswered(unanswered, answerMs), WATCH_MS);
  return {
    options: pool.options,
    async connect() {
      const mustWait = pool.idleCount <= pool.waitingCount;
      // A timer only for who needs one. Who gives up leaves the queue: nobody connects for them any more.
      pool.options.connectionTimeoutMillis = mustWait ? waitMs : 0;
      return await pool.connect();
    },
    async end() {
      clearInterval(watch);
      await pool.end();
    },
  };
}

/** Notes when a connection is asked something that it has not answered yet, and has the server keep its plan. */
function noteQueries(client: pg.PoolClient, unanswered: Unanswered, names: StatementNames): void {
  const query = client.query.bind(client) as (config: unknown, values?: unknown[]) => Promise<unknown>;
  const noted = async (text: string, values: unknown[] = []) => {
    unanswered.set(client, 0);
    try {
      return await (values.length === 0 ? query(text) : query({ name: names.of(text), text, values }));
    } catch (error) {
      if (!isPlanOutdated(error)) throw error;
      names.renew();
      // A transaction is over now; whoever runs it tries again.
      if (isInTransaction(client)) throw error;
      return await query(text, values);
    } finally {
      unanswered.delete(client);
    }
  };
  client.query = noted as typeof client.query;
}

function isInTransaction(client: pg.PoolClient): boolean {
  return (client as pg.PoolClient & { getTransactionStatus(): string | null }).getTransactionStatus() !== "I";
}

/**
 * Names under which the server keeps the plan of a text: a third of a small query is planning. A name tells its text, so
 * that a pooler that mixes up the connections of several instances cannot have one run what another has prepared.
 */
class StatementNames {
  #names = new Map<string, string>();
  #generation = 0;

  of(text: string): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const name = `${this.#generation}:${createHash("sha256").update(text).digest("base64url")}`;
    this.#names.set(text, name);
    return name;
  }

  /** Gives all texts new names: another instance has changed the tables that the plans are of. */
  renew(): void {
    this.#names.clear();
    this.#generation++;
  }
}

/**
 * Ends connections that have not answered: what comes behind the query, and whoever got the connection next, would wait
 * as long again. It is the looks that count: a process that was itself at a standstill looks once before it listens.
 */
function endUnanswered(unanswered: Unanswered, answerMs: number): void {
  for (const [client, looks] of unanswered) {
    unanswered.set(client, looks + 1);
    if (looks * WATCH_MS < answerMs) continue;
    unanswered.delete(client);
    (client as pg.PoolClient & pg.Client).end().catch(() => {});
  }
}
