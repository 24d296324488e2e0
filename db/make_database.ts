/**
 * Makes an embedded database in the folder it is sent, on a thread of its own: making one takes some 400 MB more than
 * running it, which end with the thread.
 */
import { PGlite } from "@electric-sql/pglite";

globalThis.addEventListener("message", async ({ data: directory }: MessageEvent<string>) => {
  const pglite = await PGlite.create(directory);
  await pglite.close();
  (globalThis as unknown as { postMessage(message: string): void }).postMessage("made");
});
