import type { RunStatement } from "../prepared_query.ts";
import { inOneWrite } from "./driver.ts";
import type { TrackedClient } from "./tracked_client.ts";

/** A statement that waits to be sent. */
interface Waiting {
  text: string;
  values: unknown[];
  resolve(rows: unknown[]): void;
  reject(error: unknown): void;
}

/** A connection that carries statements of several requests. */
interface Line {
  client: TrackedClient;
  openUntil: number;
  unanswered: number;
}

/** How long a connection takes new statements. So a connection that hangs delays only a few of them. */
const OPEN_MS = 10;

/**
 * Sends short statements of concurrent requests on one connection without waiting for each response, and those of one
 * turn of the event loop in one write. A connection and a write for each statement would double the cost of a small
 * request. Each statement is a transaction of its own, so none affects another.
 *
 * @param connect takes a connection from the pool. Its client must be in pipeline mode.
 */
export function createPipeline(connect: () => Promise<TrackedClient>): RunStatement {
  let waiting: Waiting[] = [];
  let line: Line | null = null;

  async function send(): Promise<void> {
    const batch = waiting;
    waiting = [];
    try {
      if (line === null || performance.now() > line.openUntil) line = await openLine();
      sendOn(line, batch);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  async function openLine(): Promise<Line> {
    const client = await connect();
    return { client, openUntil: performance.now() + OPEN_MS, unanswered: 0 };
  }

  function sendOn(open: Line, batch: Waiting[]): void {
    const { client } = open;
    const settle = () => {
      if (--open.unanswered > 0) return;
      if (line === open) line = null;
      client.release();
    };
    open.unanswered += batch.length;
    inOneWrite(client, () => {
      for (const { text, values, resolve, reject } of batch) {
        client.run(text, values, (error, result) => {
          settle();
          error === null ? resolve(result!.rows) : reject(error);
        });
      }
    });
  }

  return (text, values) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ text, values, resolve, reject }) === 1) setImmediate(send);
    });
}
