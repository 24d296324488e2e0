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
  /** As long may have waited who is still given a connection while the server leaves questions unanswered. */
  silenceWaitMs: number;
  /** For an answer. The server is to give up first, at `statement_timeout`: that leaves the connection whole. */
  answerMs: number;
}

/** What the server was asked. */
interface Questions {
  /** Connections that were asked something, and how often they have been looked at since. */
  unanswered: Map<pg.PoolClient, number>;
  /** No answer has come since one did not come in time. */
  isServerSilent: boolean;
}

/** How often unanswered queries are looked for: a timer for each would be a tenth of what a small query costs. */
const WATCH_MS = 200;
const CONNECTION_LIFE_SECONDS = 600;
/** As the pool words it. */
const CONNECTION_LATE = "timeout exceeded when trying to connect";

/** Connections to PostgreSQL that nobody waits for longer than the limits allow. */
export function openPool(
  settings: pg.PoolConfig,
  { connections, waitMs, silenceWaitMs, answerMs }: PoolLimits,
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
  const questions: Questions = { unanswered: new Map(), isServerSilent: false };
  const names = new StatementNames();
  pool.on("error", noteLoss).on("connect", (client) => {
    client.on("error", noteLoss);
    noteQueries(client, questions, names);
  });
  const watch = setInterval(() => endUnanswered(questions, answerMs), WATCH_MS);
  return {
    options: pool.options,
    async connect() {
      const mustWait = pool.idleCount <= pool.waitingCount;
      // A timer only for who needs one. Who gives up leaves the queue: nobody connects for them any more.
      pool.options.connectionTimeoutMillis = mustWait ? waitMs : 0;
      const startedAt = performance.now();
      const client = await pool.connect();
      if (!questions.isServerSilent || performance.now() - startedAt < silenceWaitMs) return client;
      // That there is no answer would be noticed too late. Nothing has been asked yet, so nothing can have been done.
      client.release();
      throw new Error(CONNECTION_LATE);
    },
    async end() {
      clearInterval(watch);
      await pool.end();
    },
  };
}

/** Notes when a connection is asked something that it has not answered yet, and has the server keep its plan. */
function noteQueries(client: pg.PoolClient, questions: Questions, names: StatementNames): void {
  const query = client.query.bind(client) as (config: unknown, values?: unknown[]) => Promise<unknown>;
  const noted = async (text: string, values: unknown[] = []) => {
    questions.unanswered.set(client, 0);
    try {
      const answer = await (values.length === 0 ? query(text) : query({ name: names.of(text), text, values }));
      questions.isServerSilent = false;
      return answer;
    } catch (error) {
      if (!isPlanOutdated(error)) throw error;
      names.renew();
      // A transaction is over now; whoever runs it tries again.
      if (isInTransaction(client)) throw error;
      return await query(text, values);
    } finally {
      questions.unanswered.delete(client);
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
function endUnanswered(questions: Questions, answerMs: number): void {
  const { unanswered } = questions;
  for (const [client, looks] of unanswered) {
    unanswered.set(client, looks + 1);
    if (looks * WATCH_MS < answerMs) continue;
    questions.isServerSilent = true;
    unanswered.delete(client);
    (client as pg.PoolClient & pg.Client).end().catch(() => {});
  }
}
