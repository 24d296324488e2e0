import { join } from "node:path";
import type { Config } from "../config.ts";
import type { ObjectStore } from "../services.ts";
import { createDiskStore } from "./disk_store.ts";
import { createS3Store } from "./s3_store.ts";

/** The store that the configuration asks for: the bucket where there is one, else a folder of the data directory. */
export async function openObjectStore(config: Config, now: () => Date): Promise<ObjectStore> {
  const { s3, dataDir, ...settings } = config;
  if (s3 !== undefined) return createS3Store({ ...s3, now });
  return await createDiskStore({ ...settings, directory: join(dataDir, "objects"), now });
}
