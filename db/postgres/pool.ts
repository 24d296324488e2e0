import { createHash } from "node:crypto";
import pg from "pg";
import { isPlanOutdated } from "../database_errors.ts";
import { errorFields, type Log } from "../../lib/log.ts";
import { parseTimestamp } from "./timestamp.ts";

/** The number of connections and the time limits for each part of a query. */
export interface PoolLimits {
  connections: number;
  /** Maximum time to wait for a connection, whether a new one or one that is in use. */
  waitMs: number;
  /** Maximum time a caller may have queued and still get a connection while the server is unresponsive. */
  unresponsiveWaitMs: number;
  /** Maximum time for a response. Longer than `statement_timeout`, after which the connection stays usable. */
  responseMs: number;
}

/** A statement to send, and what to call with its result. The server keeps a statement that has a name. */
interface Statement {
  text: string;
  values: unknown[];
  name?: string;
  /** The error is null if the statement succeeded. */
  callback(error: unknown, result?: pg.QueryResult): void;
}

/** Receives the result of a query, or its error. */
export type RunCallback = Statement["callback"];

/** A connection of the pool. */
export interface TrackedClient extends pg.PoolClient {
  readonly connection: pg.Connection;
  /** Does what `query` does, without a promise: several promises for each query would take as long as parsing its rows. */
  run(text: string, values: unknown[], callback: RunCallback): void;
}

/** The queries in progress. */
interface Queries {
  /** Connections that wait for responses. */
  unanswered: Map<pg.PoolClient, Unanswered>;
  /** Whether no response has arrived since one timed out. */
  isServerUnresponsive: boolean;
}

/** The queries of a connection that wait for a response. */
interface Unanswered {
  queries: number;
  /** The number of polls since the first one was sent or the last response arrived. */
  polls: number;
}

/** Polling interval for unanswered queries. One timer per query would make small queries 10% slower. */
const WATCH_MS = 200;
const CONNECTION_LIFE_SECONDS = 600;
const { TIMESTAMPTZ } = pg.types.builtins;
/** The message that the pool itself uses. */
const CONNECTION_TIMEOUT_MESSAGE = "timeout exceeded when trying to connect";

/** Opens a pool of connections to PostgreSQL in which no caller waits longer than the limits. Ending it twice is harmless. */
export function openPool(
  settings: pg.PoolConfig,
  { connections, waitMs, unresponsiveWaitMs, responseMs }: PoolLimits,
  log: Log,
) {
  const pool = new pg.Pool({
    ...settings,
    types: { getTypeParser },
    max: connections,
    keepAlive: true,
    idleTimeoutMillis: 0, // connections are closed by maxLifetimeSeconds only
    maxLifetimeSeconds: CONNECTION_LIFE_SECONDS,
    Client: class extends pg.Client {
      constructor(config?: pg.ClientConfig) {
        super({ ...config, connectionTimeoutMillis: waitMs, pipeline: true });
      }
    },
  });
  // Without listeners, a broken connection would end the process. The pool listens to idle connections only, so each
  // connection gets its own listener.
  const logLoss = (error: Error) => log("warn", "database connection lost", errorFields(error));
  const queries: Queries = { unanswered: new Map(), isServerUnresponsive: false };
  const names = new StatementNames();
  pool.on("error", logLoss).on("connect", (client) => {
    client.on("error", logLoss);
    trackQueries(client as TrackedClient, queries, names);
  });
  const watch = setInterval(() => closeUnanswered(queries, responseMs), WATCH_MS);
  // Kysely does not end an unused pool, so in the task `migrate` this timer would keep the process alive.
  Deno.unrefTimer(watch);
  let ended: Promise<void> | undefined;
  return {
    options: pool.options,
    async connect(): Promise<TrackedClient> {
      const mustWait = pool.idleCount <= pool.waitingCount;
      // Only callers that must wait get a timer. It removes them from the queue, so that no connection is opened for them.
      pool.options.connectionTimeoutMillis = mustWait ? waitMs : 0;
      const startedAt = performance.now();
      const client = await pool.connect() as TrackedClient;
      if (!queries.isServerUnresponsive || performance.now() - startedAt < unresponsiveWaitMs) return client;
      // A missing response to the query would be detected too late. No query has been sent yet, so nothing has happened.
      client.release();
      throw new Error(CONNECTION_TIMEOUT_MESSAGE);
    },
    async end(): Promise<void> {
      clearInterval(watch);
      await (ended ??= pool.end());
    },
  };
}

/** Returns the parsers of the driver, except for timestamps: its own took a fifth of the time of a list of users. */
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: "text" | "binary") =>
  oid === TIMESTAMPTZ && format !== "binary" ? parseTimestamptz : pg.types.getTypeParser(oid, format);

function parseTimestamptz(text: string): Date {
  return parseTimestamp(text) ?? pg.types.getTypeParser(TIMESTAMPTZ)(text);
}

/** Tracks the queries of a connection, and names its statements so that the server keeps their plans. */
function trackQueries(client: TrackedClient, queries: Queries, names: StatementNames): void {
  const query = client.query.bind(client) as (query: pg.Query) => void;
  const unanswered: Unanswered = { queries: 0, polls: 0 };
  const send = (statement: Statement) => query(createQuery(statement));
  client.run = (text, values, callback) => {
    if (unanswered.queries++ === 0) queries.unanswered.set(client, unanswered);
    const answer: RunCallback = (error, result) => {
      unanswered.polls = 0;
      if (--unanswered.queries === 0) queries.unanswered.delete(client);
      callback(error, result);
    };
    const answerUnlessOutdated: RunCallback = (error, result) => {
      if (error === null) queries.isServerUnresponsive = false;
      if (error === null || !isPlanOutdated(error)) return answer(error, result);
      names.renew();
      // The transaction has been rolled back; its caller retries it.
      if (isInTransaction(client)) return answer(error);
      send({ text, values, callback: answer });
    };
    const name = values.length === 0 ? undefined : names.of(text);
    send({ text, values, name, callback: answerUnlessOutdated });
  };
  client.query = queryFor(client) as typeof client.query;
}

/**
 * Creates a query of the driver. Neither a promise nor an object of options: the driver copies each option property by
 * property, and both together would take as long as parsing the rows of a small result.
 */
function createQuery({ text, values, name, callback }: Statement): pg.Query {
  const query: pg.Query & { name?: string } = new pg.Query(text, values, callback as QueryCallback);
  query.name = name;
  return query;
}

type QueryCallback = ConstructorParameters<typeof pg.Query>[2];

/**
 * Returns the function that the query builder calls. It sends `begin` in one write with the first statement of the
 * transaction, because a write of its own would cost each transaction a round trip. It does so only with a read: some
 * poolers answer `begin` with an error and still run what follows, and a change would then be committed alone.
 */
function queryFor({ run, connection: { stream } }: TrackedClient) {
  let mustBegin = false;
  const query = (text: string, values: unknown[] = []) =>
    new Promise((resolve, reject) => {
      run(text, values, (error, result) => error === null ? resolve(result) : reject(error));
    });
  return (text: string, values?: unknown[]): Promise<unknown> => {
    if (text === "begin") {
      mustBegin = true;
      return Promise.resolve({});
    }
    if (!mustBegin) return query(text, values);
    mustBegin = false;
    if (!text.startsWith("select ")) return query("begin").then(() => query(text, values));
    stream.cork();
    const results = Promise.all([query("begin"), query(text, values)]);
    stream.uncork();
    return results.then(([, result]) => result);
  };
}

function isInTransaction(client: pg.PoolClient): boolean {
  return (client as pg.PoolClient & { getTransactionStatus(): string | null }).getTransactionStatus() !== "I";
}

/**
 * Names under which the server keeps the plans of statements, because planning is a third of the cost of a small query. A
 * name is a hash of the text, so that a pooler that shares connections between instances never runs another statement.
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

  /** Renames all statements after another instance has changed the tables of their plans. */
  renew(): void {
    this.#names.clear();
    this.#generation++;
  }
}

/**
 * Closes connections that have not responded, because the queries queued behind would wait just as long. Counts polls,
 * not elapsed time: otherwise a stall in this process would look like an unresponsive server.
 */
function closeUnanswered(queries: Queries, responseMs: number): void {
  for (const [client, unanswered] of queries.unanswered) {
    if (unanswered.polls++ * WATCH_MS < responseMs) continue;
    queries.isServerUnresponsive = true;
    queries.unanswered.delete(client);
    // In pipeline mode, `end` would wait for the responses.
    Object.assign(client, { pipeline: false });
    (client as pg.PoolClient & pg.Client).end().catch(() => {});
  }
}
