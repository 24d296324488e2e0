import { dirname } from "node:path";
import { PRIVATE } from "../config/data_dir.ts";

/**
 * Returns the content of a file, which is created if it does not exist. Processes that do this at the same time agree
 * on one content, and no file is incomplete: a draft is linked into place. Only its owner may read it.
 */
export async function readOrCreate(path: string, create: () => string): Promise<string> {
  return await readIfExists(path) ?? await createFirst(path, create());
}

async function createFirst(path: string, content: string): Promise<string> {
  const folder = dirname(path);
  await Deno.mkdir(folder, { recursive: true, ...PRIVATE.folder });
  const draft = `${path}.${crypto.randomUUID()}`;
  try {
    await Deno.writeTextFile(draft, content, { ...PRIVATE.file, createNew: true });
    await syncToDisk(draft);
    await Deno.link(draft, path);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  } finally {
    await Deno.remove(draft).catch(() => {});
  }
  await syncToDisk(folder);
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
