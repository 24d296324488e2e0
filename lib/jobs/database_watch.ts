import { sql } from "kysely";
import { SECOND_MS } from "../duration.ts";
import { errorFields } from "../log/log.ts";
import type { Services } from "../services/services.ts";

/** How often the database is asked. */
export const WATCH_PAUSE_SECONDS = 1;

/** Returns the job that logs when the database stops to respond, and when it is back. */
export function createDatabaseWatch(services: Pick<Services, "db" | "log">): () => Promise<number> {
  let goneAtMs: number | null = null;
  return async () => {
    const { db, log } = services;
    try {
      await sql`select 1`.execute(db);
    } catch (error) {
      if (goneAtMs === null) log("error", "the database does not respond", errorFields(error));
      goneAtMs ??= performance.now();
      return 0;
    }
    if (goneAtMs !== null) {
      log("warn", "the database is back", { goneSeconds: Math.round((performance.now() - goneAtMs) / SECOND_MS) });
    }
    goneAtMs = null;
    return 0;
  };
}
