import { sql } from "kysely";
import type { Db } from "../../db/schema.ts";
import { SECOND_MS } from "../duration.ts";
import { errorFields } from "../log.ts";
import type { Services } from "../services.ts";
import { VERSION } from "../version.ts";

/** A database slower than this counts as disconnected. */
const DATABASE_DEADLINE_MS = 2 * SECOND_MS;

/** Source: spec, GET /api/health. */
export interface Health {
  status: "ok" | "error";
  db: "connected" | "disconnected";
  timestamp: string;
  version: string;
}

/**
 * Asks the database for a sign of life; writes nothing and never throws.
 *
 * The database alone decides. An object store that is full, read-only or gone fails uploads, each with a 503 of its own,
 * while accounts, sessions and profiles go on: an instance taken out of service for it would take those along.
 */
export async function checkHealth({ db, now, log }: Services): Promise<Health> {
  const facts = { timestamp: now().toISOString(), version: VERSION };
  try {
    await askTogether(db);
    return { status: "ok", db: "connected", ...facts };
  } catch (error) {
    log("warn", "database unreachable", errorFields(error));
    return { status: "error", db: "disconnected", ...facts };
  }
}

const underWay = new WeakMap<Db, Promise<void>>();

/** Whoever asks meanwhile shares the answer: however many they are, they take one connection. */
function askTogether(db: Db): Promise<void> {
  const asked = underWay.get(db) ?? ask(db).finally(() => underWay.delete(db));
  underWay.set(db, asked);
  return asked;
}

async function ask(db: Db): Promise<void> {
  const deadline = Promise.withResolvers<never>();
  const timer = setTimeout(() => deadline.reject(new Error("database did not answer in time")), DATABASE_DEADLINE_MS);
  try {
    await Promise.race([sql`select 1`.execute(db), deadline.promise]);
  } finally {
    clearTimeout(timer);
  }
}
