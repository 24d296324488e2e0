import { createHash } from "node:crypto";
import { join } from "node:path";

const LOCKS = ".locks";
const RETRY_MS = 5;

/**
 * Waits until no other process or request changes this object, or one of the 256th of all objects that share its lock.
 * Closing the file ends the lock, and so does the end of the process.
 */
export async function lockKey(root: string, key: string): Promise<Deno.FsFile> {
  await Deno.mkdir(join(root, LOCKS), { recursive: true });
  const name = createHash("sha256").update(key).digest("hex").slice(0, 2);
  const file = await Deno.open(join(root, LOCKS, name), { write: true, create: true });
  try {
    // `lock` would keep one of the runtime's few threads busy, which the holder of the lock needs for its own work.
    while (!await file.tryLock(true)) await new Promise((resolve) => setTimeout(resolve, RETRY_MS * Math.random()));
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}
