import { join } from "node:path";
import type { Config } from "../config.ts";
import type { ObjectStore } from "../services.ts";
import { createDiskStore } from "./disk_store.ts";
import { createS3Store } from "./s3_store.ts";

/** The store that the configuration asks for: the bucket where there is one, else a folder of the data directory. */
export async function openObjectStore(
  config: Config,
  options: { now: () => Date; sweeps: boolean },
): Promise<ObjectStore> {
  const { s3, dataDir, ...settings } = config;
  if (s3 !== undefined) return createS3Store({ ...s3, ...options });
  return await createDiskStore({ ...settings, ...options, directory: join(dataDir, "objects") });
}
