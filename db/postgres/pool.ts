import pg from "pg";
import { errorFields, type Log } from "../../lib/log/log.ts";
import type { ReadOnlyReason } from "../read_only.ts";
import { closeAtOnce, CONNECT_TIMEOUT_MESSAGE, setConnectTimeout } from "./driver.ts";
import { OutdatedConnections } from "./outdated_connections.ts";
import { parseTimestamp } from "./timestamp.ts";
import { type Queries, StatementNames, type TrackedClient, trackQueries } from "./tracked_client.ts";

export interface PoolSettings {
  /** A postgres:// URL. */
  connectionString: string;
  /** What to do with a new connection before it is used. Returns why the server takes no writes, or null. */
  prepare(client: pg.ClientBase): Promise<ReadOnlyReason | null>;
}

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

/** Polling interval for unanswered queries. One timer per query would make small queries 10% slower. */
const WATCH_MS = 200;
const CONNECTION_LIFE_SECONDS = 600;
/** How long the pool makes do with the connections that it has, after the server has refused another one. */
const REFUSED_MS = 60_000;
/** The role, the database or the server has no connection left. Source: PostgreSQL, SQLSTATE. */
const TOO_MANY_CONNECTIONS = "53300";
const { TIMESTAMPTZ } = pg.types.builtins;

/**
 * Opens a pool of connections to PostgreSQL in which no caller waits longer than the limits. Ending it twice is
 * harmless.
 */
export function openPool(
  { connectionString, prepare }: PoolSettings,
  { connections, waitMs, unresponsiveWaitMs, responseMs }: PoolLimits,
  log: Log,
) {
  const outdated = new OutdatedConnections(log);
  const pool = new pg.Pool({
    connectionString,
    async onConnect(client) {
      const askedAt = performance.now();
      outdated.opened(client, askedAt, await prepare(client));
    },
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
  const queries: Queries = {
    unanswered: new Map(),
    isServerUnresponsive: false,
    onReadOnly: (client) => outdated.refusedWrite(client),
  };
  const names = new StatementNames();
  pool.on("error", logLoss).on("connect", (client) => {
    client.on("error", logLoss);
    trackQueries(client as TrackedClient, queries, names);
  });
  const watch = setInterval(() => closeUnanswered(queries, responseMs), WATCH_MS);
  // Kysely does not end an unused pool, so in the task `migrate` this timer would keep the process alive.
  Deno.unrefTimer(watch);
  let ended: Promise<void> | undefined;
  let refusedAt = -Infinity;
  /** Connects, and closes the connections on the way that lead to a server that is no longer the primary. */
  async function connectToPrimary(startedAt: number): Promise<TrackedClient> {
    const client = await connectOrWait(startedAt);
    if (!outdated.has(client)) return client;
    client.release(true);
    setConnectTimeout(pool, Math.max(1, startedAt + waitMs - performance.now()));
    return await connectToPrimary(startedAt);
  }
  /** Connects. If the server refuses another connection, it waits for one of those that there are. */
  async function connectOrWait(startedAt: number): Promise<TrackedClient> {
    try {
      return await pool.connect() as TrackedClient;
    } catch (error) {
      const remainingMs = startedAt + waitMs - performance.now();
      if (!isRefused(error) || pool.totalCount === 0 || remainingMs <= 0) throw error;
      makeDo();
      setConnectTimeout(pool, remainingMs);
      return await connectOrWait(startedAt);
    }
  }
  /** Opens no more connections than there are, for a while. */
  function makeDo(): void {
    if (performance.now() - refusedAt > REFUSED_MS) {
      log("warn", "the database allows fewer connections than the service would open", {
        hint: "look at the connection limits of the role, the database and the server",
      });
    }
    pool.options.max = Math.min(pool.options.max, pool.totalCount);
    refusedAt = performance.now();
  }
  return {
    options: pool.options,
    async connect(): Promise<TrackedClient> {
      if (pool.options.max < connections && performance.now() - refusedAt > REFUSED_MS) pool.options.max = connections;
      const mustWait = pool.idleCount <= pool.waitingCount;
      // Only callers that must wait get a timer. It removes them from the queue, so that no connection is opened for
      // them.
      setConnectTimeout(pool, mustWait ? waitMs : 0);
      const startedAt = performance.now();
      const client = await connectToPrimary(startedAt);
      if (!queries.isServerUnresponsive || performance.now() - startedAt < unresponsiveWaitMs) return client;
      // A missing response to the query would be detected too late. No query has been sent yet, so nothing has
      // happened.
      client.release();
      throw new Error(CONNECT_TIMEOUT_MESSAGE);
    },
    use: () => ({ max: connections, used: pool.totalCount - pool.idleCount, waiting: pool.waitingCount }),
    async end(): Promise<void> {
      clearInterval(watch);
      await (ended ??= pool.end());
    },
  };
}

function isRefused(error: unknown): boolean {
  return (error as { code?: string }).code === TOO_MANY_CONNECTIONS;
}

/** Returns the parsers of the driver, except for timestamps: its own took a fifth of the time of a list of users. */
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: "text" | "binary") =>
  oid === TIMESTAMPTZ && format !== "binary" ? parseTimestamptz : pg.types.getTypeParser(oid, format);

function parseTimestamptz(text: string): Date {
  return parseTimestamp(text) ?? pg.types.getTypeParser(TIMESTAMPTZ)(text);
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
    closeAtOnce(client);
  }
}
