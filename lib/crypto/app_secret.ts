import { join } from "node:path";
import { ConfigError } from "../config/config.ts";
import { readOrCreate } from "../first_file.ts";

const SECRET_BYTES = 32;

/**
 * Returns the secret of an installation that does not set APP_SECRET. It is generated once and stored in the data
 * directory, readable by its owner only. Processes that start at the same time agree on one secret.
 *
 * @throws {ConfigError} when the file holds less than 32 bytes, such as after a power loss.
 */
export async function loadAppSecret(dataDir: string): Promise<string> {
  const path = join(dataDir, "app_secret");
  const secret = await readOrCreate(path, () => crypto.getRandomValues(new Uint8Array(SECRET_BYTES)).toBase64());
  if (new TextEncoder().encode(secret).length >= SECRET_BYTES) return secret;
  throw new ConfigError(
    `${path} must hold at least ${SECRET_BYTES} bytes. Restore it from a backup. If there is none, delete it: a new ` +
      "secret is then generated, but it cannot decrypt emails that are already queued.",
  );
}
