import { sql } from "kysely";
import type { Db } from "../../../db/schema.ts";
import { errorFields } from "../../log/log.ts";
import type { HealthView } from "../../schemas/service.ts";
import type { Services } from "../../services/services.ts";
import { VERSION } from "../../version.ts";
import { inTime } from "./in_time.ts";

/**
 * Checks that the database responds. Writes nothing and never throws.
 *
 * The object store is not checked: without it uploads get 503, but accounts, sessions and profiles still work. A load
 * balancer that removed the instance would take those down too.
 */
export async function checkHealth({ db, now, log }: Services): Promise<HealthView> {
  const facts = { timestamp: now().toISOString(), version: VERSION };
  try {
    await pingShared(db);
    return { status: "ok", db: "connected", ...facts };
  } catch (error) {
    log("warn", "database unreachable", errorFields(error));
    return { status: "error", db: "disconnected", ...facts };
  }
}

const pings = new WeakMap<Db, Promise<void>>();

/** Concurrent checks share one query, so that they take only one connection. */
function pingShared(db: Db): Promise<void> {
  const ping = pings.get(db) ?? pingDatabase(db).finally(() => pings.delete(db));
  pings.set(db, ping);
  return ping;
}

async function pingDatabase(db: Db): Promise<void> {
  await inTime("database", sql`select 1`.execute(db));
}
