import { type Driver, PGliteAdapter, PGliteDialect } from "kysely";
import { concurrencyLimit } from "../../lib/concurrency_limit.ts";
import { currentClient } from "../../lib/current_client.ts";
import { pauseAfter } from "../../lib/event_loop_turns.ts";

/**
 * How long the engine may work before the event loop does other work: the engine works on this thread. A pause after each
 * query would make everyone wait hundreds of times while another client keeps the event loop busy.
 */
const WORKING_MS = 5;

/**
 * The dialect of an engine with one connection, for which clients take turns: one with hundreds of requests holds up each
 * query or transaction of another by at most two of its own. Kysely alone would serve them in the order of their arrival.
 */
export class DialectWithTurns extends PGliteDialect {
  override createAdapter(): PGliteAdapter {
    return new AdapterWithTurns();
  }

  override createDriver(): Driver {
    return takeTurns(super.createDriver());
  }
}

class AdapterWithTurns extends PGliteAdapter {
  /** Lets Kysely ask for the connection at once, instead of queueing the callers itself. */
  override get supportsMultipleConnections() {
    return true;
  }
}

function takeTurns(driver: Driver): Driver {
  const { acquireConnection, releaseConnection } = driver;
  const inTurn = concurrencyLimit(1);
  const untilFree = pauseAfter(WORKING_MS);
  let endTurn: () => void;
  const untilTurn = () =>
    new Promise<void>((begin) => {
      let isQueued = false;
      inTurn(async () => {
        if (isQueued) await untilFree();
        begin();
        await new Promise<void>((end) => endTurn = end);
      }, { owner: currentClient() });
      isQueued = true;
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
