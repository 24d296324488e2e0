import type { ConnectionUse } from "../../../db/database_handle.ts";
import { SECOND_MS } from "../../duration.ts";
import type { Values } from "../../metrics/families.ts";
import { countWaiting } from "../../mail/outbox_list.ts";
import type { Services } from "../../services/services.ts";
import { findDatabaseFacts } from "./readiness.ts";
import { inTime } from "./in_time.ts";
import { isStoreWorking } from "./store_state.ts";

/** Where the use of the connections is known. */
export interface UsedDatabase {
  connectionUse(): ConnectionUse;
}

/** Returns what this isolate has counted, and its state. */
export function isolateValues({ metrics }: Pick<Services, "metrics">, database: UsedDatabase): Values {
  const { max, used, waiting } = database.connectionUse();
  return {
    ...metrics.values(),
    connectionsMax: only(max),
    connectionsUsed: only(used),
    connectionsWaited: only(waiting),
    heapMemory: only(Deno.memoryUsage().heapUsed),
    isolates: only(1),
  };
}

/** Returns the state of the process and of what it depends on. Leaves out what is unknown. */
export async function processValues(services: Services): Promise<Values> {
  const [database, isStoreOk] = await Promise.all([databaseValues(services), isStoreWorking(services)]);
  return {
    ...database,
    storeUp: only(Number(isStoreOk)),
    residentMemory: only(Deno.memoryUsage().rss),
    startedAt: only(performance.timeOrigin / SECOND_MS),
  };
}

async function databaseValues(services: Services): Promise<Values> {
  const { db, now } = services;
  try {
    const facts = Promise.all([findDatabaseFacts(services), countWaiting(db)]);
    const [{ isReadOnly, oldestWaiting }, waiting] = await inTime("database", facts);
    const ageMs = oldestWaiting === null ? 0 : now().getTime() - oldestWaiting.getTime();
    return {
      databaseUp: only(isReadOnly ? 0 : 1),
      emailsWaiting: only(waiting),
      oldestEmail: only(Math.max(0, ageMs) / SECOND_MS),
    };
  } catch { // the health check logs why
    return { databaseUp: only(0) };
  }
}

function only(value: number): Record<string, number[]> {
  return { "": [value] };
}
