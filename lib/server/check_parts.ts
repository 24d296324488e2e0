import { join } from "node:path";
import { databaseTime, openDatabase } from "../../db/connection.ts";
import type { DatabaseHandle } from "../../db/database_handle.ts";
import type { Config } from "../config/config.ts";
import { createLog } from "../log/log.ts";
import { openMailTransport } from "../mail/transports/open_transport.ts";
import type { Services } from "../services/services.ts";
import { findConfig } from "../start/load_config.ts";
import { openObjectStore } from "../storage/open_store.ts";

/** Services for `check`, and what is wrong with their configuration. */
export type CheckedServices = Services & { configProblem?: string } & AsyncDisposable;

/**
 * Opens what `check` looks at, each part by itself and without creating anything, so that the others have an answer if
 * one cannot be opened. Using that one throws why. A setting with a problem counts as unset.
 *
 * @param requireDatabase throws if there is no database yet.
 */
export async function openParts(
  env: Record<string, string>,
  { requireDatabase }: { requireDatabase(): Promise<void> },
): Promise<CheckedServices> {
  const log = createLog();
  const now = () => new Date();
  const { config, problem } = await findConfig(env);
  const requireValid = (names: string) => {
    if (!new RegExp(`^- ${names}`, "m").test(problem ?? "")) return;
    throw new Error("not tried, because its settings are invalid");
  };
  const database = await part(async () => {
    requireValid("DATABASE_URL");
    await requireDatabase();
    return await openMigrated(config);
  });
  const objects = await part(async () => {
    requireValid("S3_");
    await requireObjectFolder(config);
    return await openObjectStore(config, { now, log, sweeps: false });
  });
  const mail = await part(async () => {
    requireValid("EMAIL_");
    return await openMailTransport(config, { log });
  });
  const services: Partial<CheckedServices> = {
    config,
    configProblem: problem,
    log,
    now,
    databaseTime,
    get db() {
      return database.get().db;
    },
    get objects() {
      return objects.get();
    },
    get mail() {
      return mail.get();
    },
    [Symbol.asyncDispose]: async () => await database.opened?.close(),
  };
  return services as CheckedServices;
}

/** Opens a part. `get` returns it, or throws why it could not be opened. */
async function part<Opened>(open: () => Promise<Opened>): Promise<{ opened?: Opened; get(): Opened }> {
  try {
    const opened = await open();
    return { opened, get: () => opened };
  } catch (error) {
    return {
      get() {
        throw error;
      },
    };
  }
}

async function openMigrated({ databaseUrl, dataDir }: Config): Promise<DatabaseHandle> {
  const database = await openDatabase({ databaseUrl, directory: join(dataDir, "database"), log: createLog() });
  try {
    await database.requireMigrated();
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** The user of this command may not be that of the service, which could not write to a folder of someone else. */
async function requireObjectFolder({ s3, dataDir }: Config): Promise<void> {
  const folder = join(dataDir, "objects");
  if (s3 !== undefined || await Deno.stat(folder).then(() => true, () => false)) return;
  throw new Error(`There is no folder ${folder} yet. The first start creates it`);
}
