import { createHash } from "node:crypto";
import { join } from "node:path";
import { writeChunks } from "../bytes.ts";
import type { ImageConverter } from "../services.ts";
import { writeAll } from "./messages.ts";

/** Enough to recognize the type of an image. */
const START_BYTES = 16;
const IMAGE_NAME = /^[0-9a-f-]{36}$/;

/** Returns the path of the socket where the launcher lends converters, in the folder that it shares with the service. */
export function socketIn(folder: string): string {
  return join(folder, "socket");
}

/**
 * Returns a function that stores images where converters can read them, while they arrive. Through the connection, their
 * bytes would be copied four times. Files are emptied and used again: after many deletions, some file systems take long to
 * create one.
 */
export function imageReceiver(folder: string): ImageConverter["receive"] {
  const emptied: string[] = [];

  async function empty(name: string): Promise<void> {
    await Deno.truncate(join(folder, name));
    emptied.push(name);
  }

  return async (content) => {
    const name = emptied.pop() ?? crypto.randomUUID();
    const path = join(folder, name);
    const start = new Uint8Array(START_BYTES);
    let sizeBytes = 0;
    using stack = new DisposableStack();
    stack.defer(() => void empty(name).catch(() => {})); // fails if the launcher has removed the folder
    using file = await Deno.open(path, { write: true, create: true, mode: 0o600 });
    await writeChunks(content, (chunk) => writeAll(file, chunk), (chunk) => {
      if (sizeBytes < START_BYTES) start.set(chunk.subarray(0, START_BYTES - sizeBytes), sizeBytes);
      sizeBytes += chunk.length;
    });
    const owned = stack.move();
    return {
      file: name,
      sizeBytes,
      start: start.subarray(0, sizeBytes),
      hash: async () => createHash("sha256").update(await Deno.readFile(path)).digest("base64"),
      [Symbol.dispose]: () => owned.dispose(),
    };
  };
}

/** Reads an image that the service has stored. */
export async function readImage(folder: string, name: string): Promise<Uint8Array<ArrayBuffer>> {
  if (!IMAGE_NAME.test(name)) throw new Error(`Cannot read an image: ${JSON.stringify(name)} is not a name`);
  return await Deno.readFile(join(folder, name));
}
