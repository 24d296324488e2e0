import { ConfigError, type Settings } from "./config.ts";

/**
 * Makes the data directory where something is to be kept there, and tries whether it can be written to: better one
 * message now than whatever stumbles over it first.
 *
 * @throws {ConfigError} when it cannot.
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
 * Makes a folder that no other user of the machine can look into, whatever the files in it allow: the embedded
 * database writes its own for everybody to read and change.
 */
export async function makePrivateFolder(path: string): Promise<void> {
  await Deno.mkdir(path, { recursive: true, mode: 0o700 });
  // One that is there may belong to somebody else, such as a mount point; then it is theirs to keep others out.
  await Deno.chmod(path, 0o700).catch(() => {});
}
