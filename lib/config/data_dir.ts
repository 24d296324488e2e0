import { ConfigError, type Settings } from "./config.ts";

/**
 * Creates the data directory and checks that it is writable, so that a problem is reported once at the start. Does
 * nothing if the configuration stores nothing there.
 *
 * @throws {ConfigError} if it is not writable.
 */
export async function requireDataDir({ dataDir, databaseUrl, s3, appSecret, emailApiToken }: Settings): Promise<void> {
  if ([databaseUrl, s3, appSecret, emailApiToken].every((elsewhere) => elsewhere !== undefined)) return;
  try {
    await Deno.mkdir(dataDir, { recursive: true });
    await Deno.remove(await Deno.makeTempFile({ dir: dataDir, prefix: ".write-test-" }));
  } catch (error) {
    throw new ConfigError(
      `DATA_DIR cannot be written to: ${dataDir}: ${error instanceof Error ? error.message : error}`,
    );
  }
}

/**
 * Creates a folder that no other user of the machine can open. This protects the files in it too: the embedded database
 * makes its files readable and writable for everyone.
 */
export async function makePrivateFolder(path: string): Promise<void> {
  await Deno.mkdir(path, { recursive: true, mode: 0o700 });
  // An existing folder, such as a mount point, may belong to another user. Then that user sets its permissions.
  await Deno.chmod(path, 0o700).catch(() => {});
}
