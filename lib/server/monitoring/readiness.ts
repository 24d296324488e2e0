import { join } from "node:path";
import { sql } from "kysely";
import type { Db } from "../../../db/schema.ts";
import { freeBytesAt } from "../../config/data_dir.ts";
import { MINUTE_SECONDS, secondsAfter } from "../../duration.ts";
import { errorFields } from "../../log/log.ts";
import { findOldestWaiting } from "../../mail/outbox_list.ts";
import type { ReadinessView } from "../../schemas/service.ts";
import type { Services } from "../../services/services.ts";
import { inTime } from "./in_time.ts";
import { isStoreWorking } from "./store_state.ts";

/** An email that has waited for longer is late. */
const MAIL_LATE_SECONDS = 15 * MINUTE_SECONDS;

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

async function readDatabase(services: Services): Promise<Pick<ReadinessView, "db" | "mail">> {
  const { now, log } = services;
  try {
    const { isReadOnly, oldestWaiting } = await inTime("database", findDatabaseFacts(services));
    const isLate = oldestWaiting !== null && now() > secondsAfter(oldestWaiting, MAIL_LATE_SECONDS);
    return { db: isReadOnly ? "read-only" : "connected", mail: isLate ? "late" : "ok" };
  } catch (error) {
    log("warn", "database unreachable", errorFields(error));
    return { db: "disconnected", mail: "unknown" };
  }
}

/** A table may grow by half of this at once. Source: PostgreSQL, RelationAddBlocks. */
const TABLE_GROWTH_BYTES = 2 ** 20;

type FactServices = Pick<Services, "db" | "config">;

/** What a check asks the database. */
export interface DatabaseFacts {
  /** Whether it is a standby, or accepts only reads for another reason, such as a full disk. */
  isReadOnly: boolean;
  /** Since when the oldest waiting email is in the queue. */
  oldestWaiting: Date | null;
}

const running = new WeakMap<Db, Promise<DatabaseFacts>>();

/** Asks the database. Concurrent checks share the queries, so that they take few connections. */
export function findDatabaseFacts(services: FactServices): Promise<DatabaseFacts> {
  const { db } = services;
  const facts = running.get(db) ?? findFacts(services).finally(() => running.delete(db));
  running.set(db, facts);
  return facts;
}

async function findFacts({ db, config }: FactServices): Promise<DatabaseFacts> {
  const setting = sql<
    { isReadOnly: boolean }
  >`select current_setting('transaction_read_only')::boolean as "isReadOnly"`;
  const [{ rows: [{ isReadOnly }] }, oldestWaiting, isFull] = await Promise.all([
    setting.execute(db),
    findOldestWaiting(db),
    isDiskFull(config),
  ]);
  return { isReadOnly: isReadOnly || isFull, oldestWaiting };
}

/** Whether the disk of the embedded database has no room for changes. PostgreSQL has its own disk. */
async function isDiskFull({ databaseUrl, dataDir }: Services["config"]): Promise<boolean> {
  if (databaseUrl !== undefined) return false;
  // A database in memory has no folder.
  const freeBytes = await freeBytesAt(join(dataDir, "database")).catch(() => Infinity);
  return freeBytes < TABLE_GROWTH_BYTES;
}
