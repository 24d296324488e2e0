import { sql } from "kysely";
import type { Db } from "../../../db/schema.ts";
import { MINUTE_SECONDS, secondsAfter } from "../../duration.ts";
import { errorFields } from "../../log.ts";
import { findOldestWaiting } from "../../mail/outbox_list.ts";
import type { ReadinessView } from "../../schemas/views/service.ts";
import type { Services } from "../../services.ts";
import { inTime } from "./in_time.ts";
import { isStoreWorking } from "./store_state.ts";

/** An email that has waited for longer is late. */
export const MAIL_LATE_SECONDS = 15 * MINUTE_SECONDS;

/**
 * Checks what the service depends on. Never throws. Only the database makes it an error: while the store or the mail
 * service fails, all instances are degraded, and a load balancer that removed them would make it worse.
 */
export async function checkReadiness(services: Services): Promise<ReadinessView> {
  const [database, isStoreOk] = await Promise.all([readDatabase(services), isStoreWorking(services)]);
  const store = isStoreOk ? "ok" : "failed";
  if (database.db !== "connected") return { status: "error", ...database, store };
  return { status: isStoreOk && database.mail === "ok" ? "ok" : "degraded", ...database, store };
}

async function readDatabase({ db, now, log }: Services): Promise<Pick<ReadinessView, "db" | "mail">> {
  try {
    const { isReadOnly, oldestWaiting } = await inTime("database", findDatabaseFacts(db));
    const isLate = oldestWaiting !== null && now() > secondsAfter(oldestWaiting, MAIL_LATE_SECONDS);
    return { db: isReadOnly ? "read-only" : "connected", mail: isLate ? "late" : "ok" };
  } catch (error) {
    log("warn", "database unreachable", errorFields(error));
    return { db: "disconnected", mail: "unknown" };
  }
}

/** What a check asks the database. */
export interface DatabaseFacts {
  /** Whether it is a standby, or accepts only reads for another reason. */
  isReadOnly: boolean;
  /** Since when the oldest waiting email is in the queue. */
  oldestWaiting: Date | null;
}

const running = new WeakMap<Db, Promise<DatabaseFacts>>();

/** Asks the database. Concurrent checks share the queries, so that they take few connections. */
export function findDatabaseFacts(db: Db): Promise<DatabaseFacts> {
  const facts = running.get(db) ?? findFacts(db).finally(() => running.delete(db));
  running.set(db, facts);
  return facts;
}

async function findFacts(db: Db): Promise<DatabaseFacts> {
  const setting = sql<
    { isReadOnly: boolean }
  >`select current_setting('transaction_read_only')::boolean as "isReadOnly"`;
  const [{ rows: [{ isReadOnly }] }, oldestWaiting] = await Promise.all([setting.execute(db), findOldestWaiting(db)]);
  return { isReadOnly, oldestWaiting };
}
