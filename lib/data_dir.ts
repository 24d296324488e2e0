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
