import { join } from "node:path";
import { sql } from "kysely";
import type { Db } from "../../db/schema.ts";
import { type Config, ConfigError } from "../config/config.ts";
import { MINUTE_SECONDS } from "../duration.ts";
import type { Services } from "../services.ts";

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
 * @throws {ConfigError} when a live instance has another store.
 */
export async function registerInstance(
  { db, objects, config, databaseTime }: Pick<Services, "db" | "objects" | "config" | "databaseTime">,
): Promise<Instance> {
  if (config.databaseUrl === undefined) return { show: () => Promise.resolve(), leave: () => Promise.resolve() };
  const row = { id: crypto.randomUUID(), store_id: await objects.identify() };
  const show = async (trx: Db = db) => {
    const seen = { seen_at: databaseTime() };
    await trx.insertInto("instances").values({ ...row, ...seen })
      .onConflict((conflict) => conflict.column("id").doUpdateSet(seen)).execute();
  };
  await db.transaction().execute(async (trx) => {
    // Of instances that start at the same time, the second one sees the first.
    await sql`select pg_advisory_xact_lock(hashtext(${LOCK}))`.execute(trx);
    const other = await trx.selectFrom("instances").select("store_id").where("store_id", "<>", row.store_id)
      .where("seen_at", ">", databaseTime(-LIVE_SECONDS)).executeTakeFirst();
    if (other !== undefined) throw anotherStore(ownStore(row.store_id, config), other.store_id);
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
