import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { makePrivateFolder } from "../config/data_dir.ts";
import type { Log } from "../log/log.ts";
import type { ObjectStore } from "../services/object_store.ts";
import { createDiskReserve, NO_RESERVE } from "./disk_reserve.ts";
import { createDiskStore, head } from "./disk_store.ts";
import { createS3Store } from "./s3/s3_store.ts";

export interface OpenStoreOptions {
  now: () => Date;
  /** Whether to delete the remains of interrupted writes. */
  sweeps: boolean;
  log: Log;
}

/** Opens the configured store: the bucket if there is one, otherwise a folder of the data directory. */
export async function openObjectStore(
  config: Config,
  { log, ...options }: OpenStoreOptions,
): Promise<ObjectStore> {
  const { s3, dataDir, ...settings } = config;
  if (s3 !== undefined) return createS3Store({ ...s3, baseUrl: settings.baseUrl, ...options });
  const directory = join(dataDir, "objects");
  await makePrivateFolder(directory);
  const reserve = await sharesDisk(directory, join(dataDir, "database"))
    ? createDiskReserve(directory, log)
    : NO_RESERVE;
  return await createDiskStore({ ...settings, ...options, directory, reserve });
}

/**
 * Opens what only looks for objects, and writes nothing: in the bucket if there is one, otherwise in a folder.
 *
 * @returns null without either.
 */
export function openForLooking(
  { s3, baseUrl }: Config,
  folder: string | undefined,
): Pick<ObjectStore, "head"> | null {
  if (folder !== undefined) return { head: (key) => head(folder, key) };
  return s3 === undefined ? null : createS3Store({ ...s3, baseUrl, now: () => new Date() });
}

/** Whether both folders are on one file system. Without an embedded database, the second one does not exist. */
async function sharesDisk(directory: string, database: string): Promise<boolean> {
  const other = await Deno.stat(database).catch(() => null);
  return other !== null && other.dev === (await Deno.stat(directory)).dev;
}
