import { createHash } from "node:crypto";
import type pg from "pg";
import { isPlanOutdated, isReadOnlyError } from "../database_errors.ts";
import { inOneWrite } from "./driver.ts";

/** Receives the result of a query, or its error, which is null if the query succeeded. */
export type RunCallback = (error: unknown, result?: pg.QueryResult) => void;

/** A connection of the pool. */
export interface TrackedClient extends pg.PoolClient {
  /**
   * Does what `query` does, without a promise: several promises for each query would take as long as parsing its rows.
   */
  run(text: string, values: unknown[], callback: RunCallback): void;
}

/** The queries in progress. */
export interface Queries {
  /** Connections that wait for responses. */
  unanswered: Map<pg.PoolClient, Unanswered>;
  /** Whether no response has arrived since one timed out. */
  isServerUnresponsive: boolean;
  /** Is called when a server refused a write, because it only reads. */
  onReadOnly(client: pg.PoolClient): void;
}

/** The queries of a connection that wait for a response. */
interface Unanswered {
  queries: number;
  /** The number of polls since the first one was sent or the last response arrived. */
  polls: number;
}

/** Tracks the queries of a connection, and names its statements so that the server keeps their plans. */
export function trackQueries(client: TrackedClient, queries: Queries, names: StatementNames): void {
  const send = client.query.bind(client) as (statement: pg.QueryConfig, callback: RunCallback) => void;
  const unanswered: Unanswered = { queries: 0, polls: 0 };
  client.run = (text, values, callback) => {
    if (unanswered.queries++ === 0) queries.unanswered.set(client, unanswered);
    const answer: RunCallback = (error, result) => {
      unanswered.polls = 0;
      if (--unanswered.queries === 0) queries.unanswered.delete(client);
      if (isReadOnlyError(error)) queries.onReadOnly(client);
      callback(error, result);
    };
    const answerUnlessOutdated: RunCallback = (error, result) => {
      if (error === null) queries.isServerUnresponsive = false;
      if (error === null || !isPlanOutdated(error)) return answer(error, result);
      names.renew();
      // The transaction has been rolled back; its caller retries it.
      if (client.getTransactionStatus() !== "I") return answer(error);
      send({ text, values }, answer);
    };
    const name = values.length === 0 ? undefined : names.of(text);
    send({ text, values, name }, answerUnlessOutdated);
  };
  client.query = queryFor(client) as typeof client.query;
}

/**
 * Returns the function that the query builder calls. It sends `begin` in one write with the first statement of the
 * transaction, because a write of its own would cost each transaction a round trip. It does so only with a read: some
 * poolers answer `begin` with an error and still run what follows, and a change would then be committed alone.
 */
function queryFor(client: TrackedClient) {
  let mustBegin = false;
  const query = (text: string, values: unknown[] = []) =>
    new Promise((resolve, reject) => {
      client.run(text, values, (error, result) => error === null ? resolve(result) : reject(error));
    });
  return (text: string, values?: unknown[]): Promise<unknown> => {
    if (text === "begin") {
      mustBegin = true;
      return Promise.resolve({});
    }
    if (!mustBegin) return query(text, values);
    mustBegin = false;
    if (!text.startsWith("select ")) return query("begin").then(() => query(text, values));
    const results = inOneWrite(client, () => Promise.all([query("begin"), query(text, values)]));
    return results.then(([, result]) => result);
  };
}

/**
 * Names under which the server keeps the plans of statements, because planning is a third of the cost of a small query.
 * A name is a hash of the text, so that a pooler that shares connections between instances never runs another
 * statement.
 */
export class StatementNames {
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
