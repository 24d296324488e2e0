import { createHash } from "node:crypto";
import { join } from "node:path";
import { PRIVATE } from "../config/data_dir.ts";

const LOCKS = ".locks";
const RETRY_MS = 5;

/**
 * Locks an object against changes by other processes and requests. All objects share 256 locks, chosen by the hash of
 * the key. Closing the file releases the lock, and so does the end of the process.
 */
export async function lockKey(root: string, key: string): Promise<Deno.FsFile> {
  await Deno.mkdir(join(root, LOCKS), { recursive: true, ...PRIVATE.folder });
  const name = createHash("sha256").update(key).digest("hex").slice(0, 2);
  const file = await Deno.open(join(root, LOCKS, name), { write: true, create: true, ...PRIVATE.file });
  try {
    // `lock` would block one of the runtime's few threads while it waits. The holder of the lock may need that thread.
    while (!await file.tryLock(true)) await new Promise((resolve) => setTimeout(resolve, RETRY_MS * Math.random()));
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}
