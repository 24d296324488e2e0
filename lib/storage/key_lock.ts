import { createHash } from "node:crypto";
import { join } from "node:path";
import { openInFolder } from "./folders.ts";

const LOCKS = ".locks";
const RETRY_MS = 5;

/**
 * Locks objects against changes by other processes and requests. All objects share 256 locks, chosen by the hash of
 * the key. Disposing of the result releases the locks, and so does the end of the process.
 */
export async function lockKeys(root: string, keys: string[]): Promise<Disposable> {
  using stack = new DisposableStack();
  // Everyone takes them in this order. Otherwise, two could wait for each other.
  for (const name of [...new Set(keys.map(lockOf))].sort()) stack.use(await lock(join(root, LOCKS), name));
  return stack.move();
}

function lockOf(key: string): string {
  return createHash("sha256").update(key).digest("hex").slice(0, 2);
}

async function lock(folder: string, name: string): Promise<Deno.FsFile> {
  const file = await openInFolder(folder, name, { create: true });
  try {
    // `lock` would block one of the runtime's few threads while it waits. The holder of the lock may need that thread.
    while (!await file.tryLock(true)) await new Promise((resolve) => setTimeout(resolve, RETRY_MS * Math.random()));
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}
