import { databaseTime, openDatabase } from "../../../db/connection.ts";
import { readSettings } from "../../../lib/config/config.ts";
import type { Services } from "../../../lib/services/services.ts";
import { openObjectStore } from "../../../lib/storage/open_store.ts";

/**
 * Opens the database and the store of app processes with these settings, for a test that sweeps them. The other
 * services are missing.
 */
export async function openProcessServices(
  stack: AsyncDisposableStack,
  { dataDir, env }: { dataDir: string; env: { DATABASE_URL: string; APP_SECRET: string; [name: string]: string } },
): Promise<Services> {
  const config = { ...readSettings({ ...env, DATA_DIR: dataDir }), appSecret: env.APP_SECRET };
  const log = () => {};
  const now = () => new Date();
  const database = await openDatabase({ databaseUrl: env.DATABASE_URL, directory: "", log });
  stack.defer(() => database.close());
  const objects = await openObjectStore(config, { now, log, sweeps: false });
  const services = { config, db: database.db, objects, now, databaseTime, log };
  return services as Partial<Services> as Services;
}
