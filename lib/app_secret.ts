import { join } from "node:path";

const SECRET_BYTES = 32;

/**
 * The secret of an installation that was given none: generated once, kept in the data directory, readable by its
 * owner alone. Of two processes that start at once one writes it, and both read it.
 */
export async function loadAppSecret(dataDir: string): Promise<string> {
  const path = join(dataDir, "app_secret");
  const existing = await readIfThere(path);
  if (existing !== null) return existing;
  await Deno.mkdir(dataDir, { recursive: true });
  const draft = `${path}.${crypto.randomUUID()}`;
  const secret = crypto.getRandomValues(new Uint8Array(SECRET_BYTES)).toBase64();
  await Deno.writeTextFile(draft, secret, { mode: 0o600 });
  try {
    await Deno.link(draft, path);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  } finally {
    await Deno.remove(draft);
  }
  return await Deno.readTextFile(path);
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}
