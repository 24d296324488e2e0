import { join } from "node:path";
import { sql } from "kysely";
import { PRIVATE } from "../config/data_dir.ts";
import type { Services } from "../services.ts";

/** A folder in DATA_DIR. It exists only during an export beside a service with the embedded database. */
const FOLDER = ".export";

/**
 * Copies the files of the embedded database, which another process can then open. An export from the copy holds up nobody:
 * the engine has one connection, and a snapshot of it would make all requests wait. Here they wait only while files are
 * copied.
 *
 * @returns the folder of the copy. The caller deletes it.
 * @throws {Error} if another export is running.
 */
export async function copyDatabase(
  { longWork, config: { dataDir } }: Pick<Services, "longWork" | "config">,
): Promise<string> {
  const folder = join(dataDir, FOLDER);
  await removeUnused(folder);
  await Deno.mkdir(folder, PRIVATE.folder);
  const copy = join(folder, "database");
  await longWork((db) =>
    db.connection().execute(async (connection) => {
      await sql`checkpoint`.execute(connection);
      await copyFolder(join(dataDir, "database"), copy);
    })
  );
  return copy;
}

/** Deletes the copy of an export. */
export async function removeCopy(copy: string): Promise<void> {
  await Deno.remove(join(copy, ".."), { recursive: true });
}

/** Removes what a killed export has left. The engine locks a database next to its folder. */
async function removeUnused(folder: string): Promise<void> {
  try {
    using lock = await Deno.open(join(folder, "database.lock"), { read: true, write: true });
    if (!await lock.tryLock(true)) throw new Error("Not exported: another export is running");
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  await Deno.remove(folder, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
}

async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, PRIVATE.folder);
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    await (isDirectory ? copyFolder : Deno.copyFile)(join(from, name), join(to, name));
  }
}
