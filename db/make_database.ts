/**
 * A worker that creates an embedded database in the folder that a message names. Creating a database takes about 400 MB
 * more memory than running it. Ending the worker frees that memory.
 */
import { PGlite } from "@electric-sql/pglite";

globalThis.addEventListener("message", async ({ data: directory }: MessageEvent<string>) => {
  const pglite = await PGlite.create(directory);
  await pglite.close();
  (globalThis as unknown as { postMessage(message: string): void }).postMessage("created");
});
