import {
  type DatabaseConnection,
  type Driver,
  PGliteAdapter,
  PGliteDialect,
  type PGliteDialectConfig,
  type QueryResult,
} from "kysely";
import { concurrencyLimit } from "../../lib/turns/concurrency_limit.ts";
import type { ConnectionUse } from "../database_handle.ts";
import { currentClient } from "../../lib/turns/current_client.ts";
import { pauseAfter } from "../../lib/turns/event_loop_turns.ts";

/**
 * How long the engine may work before the event loop does other work: the engine works on this thread, and without a
 * pause even one worker with one query after another would stop everything else. A pause after each query would make
 * everyone wait hundreds of times while another client keeps the event loop busy.
 */
const WORKING_MS = 5;

/** New requests are noticed within 20 ms instead of 300, at a cost of 5% of the throughput. */
const LISTEN_EVERY = 4;

/**
 * The dialect of an engine with one connection, for which clients take turns: one with hundreds of requests holds up
 * each query or transaction of another by at most two of its own. Kysely alone would serve them in the order of their
 * arrival.
 */
export class DialectWithTurns extends PGliteDialect {
  /** How busy the connection is. */
  readonly use: ConnectionUse = { max: 1, used: 0, waiting: 0 };

  constructor(config: PGliteDialectConfig) {
    super({ ...config, onCreateConnection: (connection) => Promise.resolve(pauseBetweenQueries(connection)) });
  }

  override createAdapter(): PGliteAdapter {
    return new AdapterWithTurns();
  }

  override createDriver(): Driver {
    return takeTurns(super.createDriver(), this.use);
  }
}

class AdapterWithTurns extends PGliteAdapter {
  /** Lets Kysely ask for the connection at once, instead of queueing the callers itself. */
  override get supportsMultipleConnections() {
    return true;
  }
}

function pauseBetweenQueries(connection: DatabaseConnection): void {
  const { executeQuery } = connection;
  const pause = pauseAfter(WORKING_MS, { listenEvery: LISTEN_EVERY });
  connection.executeQuery = async <Row>(...args: Parameters<typeof executeQuery>): Promise<QueryResult<Row>> => {
    await pause();
    return await executeQuery.apply<DatabaseConnection, typeof args, Promise<QueryResult<Row>>>(connection, args);
  };
}

function takeTurns(driver: Driver, use: ConnectionUse): Driver {
  const { acquireConnection, releaseConnection } = driver;
  const inTurn = concurrencyLimit(1);
  let endTurn: () => void;
  const untilTurn = () =>
    new Promise<void>((begin) => {
      use.waiting++;
      inTurn(async () => {
        use.waiting--;
        use.used = 1;
        begin();
        await new Promise<void>((end) => endTurn = end);
        use.used = 0;
      }, { owners: currentClient() });
    });
  driver.acquireConnection = async (options) => {
    await untilTurn();
    return await acquireConnection.call(driver, options);
  };
  driver.releaseConnection = async (connection, options) => {
    await releaseConnection.call(driver, connection, options);
    endTurn();
  };
  return driver;
}
