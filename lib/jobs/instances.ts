import { join } from "node:path";
import { sql } from "kysely";
import type { Db } from "../../db/schema.ts";
import { type Config, ConfigError } from "../config/config.ts";
import { fingerprintsOf } from "../crypto/derived_key.ts";
import { MINUTE_SECONDS } from "../duration.ts";
import type { Services } from "../services/services.ts";

/** An instance that has not been seen for this long counts as gone. */
const LIVE_SECONDS = MINUTE_SECONDS;
/** How often a live instance shows itself. */
export const SEEN_PAUSE_SECONDS = 20;
const LOCK = "foyer instances";

/** This process among those that share the database. */
export interface Instance {
  /** Shows the others that this instance is live. */
  show(): Promise<void>;
  /** Forgets the instance, so that one with another store can start at once. */
  leave(): Promise<void>;
}

/**
 * Registers this process. Instances that share a database must share one store, or each would serve only the files that
 * it received itself. Does nothing with the embedded database, which only one process can open.
 *
 * They must also share one APP_SECRET: codes and emails of one could not be read by the others.
 *
 * @throws {ConfigError} when a live instance has another store or another secret.
 */
export async function registerInstance(
  { db, objects, config, databaseTime }: Pick<Services, "db" | "objects" | "config" | "databaseTime">,
): Promise<Instance> {
  if (config.databaseUrl === undefined) return { show: () => Promise.resolve(), leave: () => Promise.resolve() };
  const [fingerprint, ...previous] = await fingerprintsOf(config);
  const row = { id: crypto.randomUUID(), store_id: await objects.identify(), secret_fingerprint: fingerprint };
  const show = async (trx: Db = db) => {
    const seen = { seen_at: databaseTime() };
    await trx.insertInto("instances").values({ ...row, ...seen })
      .onConflict((conflict) => conflict.column("id").doUpdateSet(seen)).execute();
  };
  await db.transaction().execute(async (trx) => {
    // Of instances that start at the same time, the second one sees the first.
    await sql`select pg_advisory_xact_lock(hashtext(${LOCK}))`.execute(trx);
    const live = await trx.selectFrom("instances").select(["store_id", "secret_fingerprint"])
      .where("seen_at", ">", databaseTime(-LIVE_SECONDS)).execute();
    const other = live.find(({ store_id: storeId }) => storeId !== row.store_id);
    if (other !== undefined) throw anotherStore(ownStore(row.store_id, config), other.store_id);
    // Instances of older releases show none.
    const others = live.flatMap(({ secret_fingerprint: shown }) => shown ?? []);
    if (!others.every((shown) => [fingerprint, ...previous].includes(shown))) throw anotherSecret();
    await show(trx);
  });
  return {
    show,
    leave: async () => void await db.deleteFrom("instances").where("id", "=", row.id).execute(),
  };
}

/** Operators do not know the id of a folder, so its path is added. */
function ownStore(id: string, { s3, dataDir }: Pick<Config, "s3" | "dataDir">): string {
  return s3 === undefined ? `${id} (${join(dataDir, "objects")})` : id;
}

function anotherStore(own: string, other: string): ConfigError {
  return new ConfigError(
    `Cannot start beside another instance: it stores files in ${other}, this one in ${own}. Give both the same ` +
      "DATA_DIR on a shared disk, or the same S3_BUCKET and S3_PRIVATE_BUCKET. If that instance has crashed, wait " +
      `${LIVE_SECONDS} seconds. Example: DATA_DIR=/mnt/foyer`,
  );
}

function anotherSecret(): ConfigError {
  return new ConfigError(
    "Cannot start beside another instance: it has another APP_SECRET, so neither could read codes and emails of the " +
      "other. Give both the same. To replace it, set APP_SECRET_PREVIOUS to the one that the others still have. If that " +
      `instance has crashed, wait ${LIVE_SECONDS} seconds. Example: APP_SECRET_PREVIOUS=<the old secret>`,
  );
}
