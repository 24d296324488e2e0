import { statfs } from "node:fs/promises";
import { messageOf } from "../log/log.ts";
import { ConfigError, type Settings } from "./config.ts";

/** Permissions of new folders and files in the data directory: no other user of the machine can open them. */
export const PRIVATE = { folder: { mode: 0o700 }, file: { mode: 0o600 } } as const;

/**
 * Creates the data directory and checks that it is writable, so that a problem is reported once at the start. Does
 * nothing if the configuration stores nothing there.
 *
 * @throws {ConfigError} if it is not writable.
 */
export async function requireDataDir({ dataDir, databaseUrl, s3, appSecret, emailApiToken }: Settings): Promise<void> {
  if ([databaseUrl, s3, appSecret, emailApiToken].every((elsewhere) => elsewhere !== undefined)) return;
  try {
    // An existing one keeps its permissions, because it may also hold files of other programs.
    await Deno.mkdir(dataDir, { recursive: true, ...PRIVATE.folder });
    await Deno.remove(await Deno.makeTempFile({ dir: dataDir, prefix: ".write-test-" }));
  } catch (error) {
    throw new ConfigError(
      `DATA_DIR cannot be written to: ${dataDir}: ${reasonOf(error)}. Example: DATA_DIR=/var/lib/foyer`,
    );
  }
}

function reasonOf(error: unknown): string {
  // Linux creates no folders in /proc, and Deno permits none there.
  const isImpossible = error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable;
  return isImpossible
    ? "no folder can be created there"
    : `${messageOf(error)}. The user of the service must own it, and its disk must have room`;
}

/**
 * Creates a folder that no other user of the machine can open, or closes an existing one. This protects everything in
 * it: the files of older versions, and those of the embedded database, which every user may read and write.
 */
export async function makePrivateFolder(path: string): Promise<void> {
  await Deno.mkdir(path, { recursive: true, ...PRIVATE.folder });
  // An existing folder, such as a mount point, may belong to another user. Then that user sets its permissions.
  await Deno.chmod(path, PRIVATE.folder.mode).catch(() => {});
}

/** Returns how many bytes are free on the disk that holds a path. */
export async function freeBytesAt(path: string): Promise<number> {
  const { bsize, bavail } = await statfs(path);
  return bsize * bavail;
}
