/**
 * A worker that creates an embedded database in the folder named by a message. Creating a database takes some 400 MB more
 * than running it; that memory is freed with the worker's thread.
 */
import { PGlite } from "@electric-sql/pglite";

globalThis.addEventListener("message", async ({ data: directory }: MessageEvent<string>) => {
  const pglite = await PGlite.create(directory);
  await pglite.close();
  (globalThis as unknown as { postMessage(message: string): void }).postMessage("made");
});
