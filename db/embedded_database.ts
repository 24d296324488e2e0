import { join } from "node:path";
import { type Dialect, PGliteDialect } from "kysely";

/**
 * Opens the embedded database, made first where there is none, and keeps other processes out.
 *
 * @param directory its folder, or `memory://`.
 */
export async function openEmbedded(directory: string): Promise<{ dialect: Dialect; unlock(): void }> {
  const isInMemory = directory.startsWith("memory://");
  const unlock = isInMemory ? () => {} : await lockDirectory(directory);
  if (!isInMemory && !await isDatabase(directory)) await makeDatabase(directory);
  const { PGlite } = await import("@electric-sql/pglite"); // nothing that PostgreSQL's users should load
  return { dialect: new PGliteDialect({ pglite: await PGlite.create(directory) }), unlock };
}

/**
 * Keeps a second process out: two on one folder destroy it, and the embedded database itself does not look.
 * The lock is the operating system's, so it goes with the process, however that ends.
 */
async function lockDirectory(directory: string): Promise<() => void> {
  await Deno.mkdir(directory, { recursive: true });
  const path = `${directory}.lock`;
  const file = await Deno.open(path, { read: true, write: true, create: true });
  if (!await file.tryLock(true)) {
    file.close();
    throw new Error(
      `Cannot open the embedded database in ${directory}: another process has it open. ` +
        "Stop that one, give this one a DATA_DIR of its own, or set DATABASE_URL.",
    );
  }
  return () => file.close();
}

async function isDatabase(directory: string): Promise<boolean> {
  return await Deno.stat(join(directory, "PG_VERSION")).then(() => true, () => false);
}

/**
 * Makes the database elsewhere and moves it into place: a process that is killed meanwhile leaves none behind, rather
 * than half of one.
 */
async function makeDatabase(directory: string): Promise<void> {
  const unfinished = `${directory}.new`;
  await Deno.remove(unfinished, { recursive: true }).catch(() => {});
  const maker = new Worker(new URL("./make_database.ts", import.meta.url), { type: "module" });
  try {
    await new Promise((resolve, reject) => {
      maker.addEventListener("message", resolve);
      maker.addEventListener("error", (event) => {
        event.preventDefault();
        reject(event.error ?? new Error(event.message));
      });
      maker.postMessage(unfinished);
    });
  } finally {
    maker.terminate();
  }
  await Deno.remove(directory, { recursive: true });
  await Deno.rename(unfinished, directory);
}
