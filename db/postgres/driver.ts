/**
 * What the pool relies on and the driver does not promise: undeclared fields, fields that are declared as constant, and
 * undocumented behavior. `driver_test.ts` fails when a new version of the driver changes any of it.
 */

import pg from "pg";

/** The message of the pool when a caller has waited too long for a connection. */
export const CONNECT_TIMEOUT_MESSAGE = "timeout exceeded when trying to connect";

/** Writes everything that `send` sends at once. */
export function inOneWrite<Sent>({ connection: { stream } }: pg.Client, send: () => Sent): Sent {
  stream.cork();
  try {
    return send();
  } finally {
    stream.uncork();
  }
}

/**
 * Closes a connection that waits for responses. They fail at once: outside of pipeline mode, `end` does not wait for
 * them.
 */
export function closeAtOnce(client: pg.Client): void {
  Object.assign(client, { pipeline: false });
  client.end().catch(() => {});
}

/** Sets how long the next caller waits for a connection that is in use; 0 if as long as it takes. */
export function setConnectTimeout(pool: pg.Pool, milliseconds: number): void {
  pool.options.connectionTimeoutMillis = milliseconds;
}
