import { join } from "node:path";
import { ConfigError } from "../config/config.ts";
import { PRIVATE } from "../config/data_dir.ts";

const SECRET_BYTES = 32;

/**
 * Returns the secret of an installation that does not set APP_SECRET. It is generated once and stored in the data
 * directory, readable by its owner only. Processes that start at the same time agree on one secret.
 *
 * @throws {ConfigError} when the file holds less than 32 bytes, such as after a power loss.
 */
export async function loadAppSecret(dataDir: string): Promise<string> {
  const path = join(dataDir, "app_secret");
  const secret = await readIfExists(path) ?? await createSecret(dataDir, path);
  if (new TextEncoder().encode(secret).length >= SECRET_BYTES) return secret;
  throw new ConfigError(
    `${path} must hold at least ${SECRET_BYTES} bytes. Restore it from a backup. If there is none, delete it: a new ` +
      "secret is then generated, but it cannot decrypt emails that are already queued.",
  );
}

/** Writes a draft and links it into place, so that the first of several processes wins and no file is incomplete. */
async function createSecret(dataDir: string, path: string): Promise<string> {
  await Deno.mkdir(dataDir, { recursive: true, ...PRIVATE.folder });
  const draft = `${path}.${crypto.randomUUID()}`;
  const secret = crypto.getRandomValues(new Uint8Array(SECRET_BYTES)).toBase64();
  try {
    await Deno.writeTextFile(draft, secret, { ...PRIVATE.file, createNew: true });
    await syncToDisk(draft);
    await Deno.link(draft, path);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  } finally {
    await Deno.remove(draft).catch(() => {});
  }
  await syncToDisk(dataDir);
  return await Deno.readTextFile(path);
}

/** Flushes a file or the entries of a folder, so that a power loss does not leave an empty secret. */
async function syncToDisk(path: string): Promise<void> {
  using file = await Deno.open(path);
  await file.sync();
}

async function readIfExists(path: string): Promise<string | null> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}
