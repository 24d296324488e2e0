import { DatabaseInUseError } from "../database_errors.ts";
import { isWorthWaitingFor } from "../database_use.ts";
import { makePrivateFolder, PRIVATE } from "../../lib/config/data_dir.ts";

/**
 * Creates the folder and locks it against a second process. The embedded database does not lock its files itself, and two processes
 * would corrupt it. The operating system releases the lock even if the process is killed.
 *
 * @returns a function that releases the lock.
 * @throws {DatabaseInUseError} when another process holds the lock.
 */
export async function lockFolder(directory: string): Promise<() => void> {
  await makePrivateFolder(directory);
  const path = `${directory}.lock`;
  const file = await Deno.open(path, { read: true, write: true, create: true, ...PRIVATE.file });
  while (!await file.tryLock(true)) {
    const holder = await readHolder(path);
    if (await isWorthWaitingFor(holder)) continue;
    file.close();
    throw new DatabaseInUseError(
      `Cannot open the embedded database in ${directory}: ${holder} has it open. ` +
        "Stop that process, set another DATA_DIR for this one, or set DATABASE_URL. " +
        "Example: DATA_DIR=/var/lib/foyer-2",
    );
  }
  await file.truncate();
  await file.write(new TextEncoder().encode(String(Deno.pid)));
  return () => file.close();
}

/** Names the process that holds the lock. It may just have taken it. */
async function readHolder(path: string): Promise<string> {
  const id = await Deno.readTextFile(path);
  return id === "" ? "another process" : `process ${id}`;
}
