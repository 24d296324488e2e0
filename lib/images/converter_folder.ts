import { createHash } from "node:crypto";
import { join } from "node:path";
import { type Chunks, writeChunks } from "../bytes.ts";
import type { ReceivedImage } from "../services.ts";
import { writeAll } from "./messages.ts";

/** Enough to recognize the type of an image. */
const START_BYTES = 16;
const IMAGE_NAME = /^[0-9a-f-]{36}$/;

/** Returns the path of the socket where the launcher lends converters, in the folder that it shares with the service. */
export function socketIn(folder: string): string {
  return join(folder, "socket");
}

/** Stores an image where converters can read it, while it arrives. Through the connection, its bytes would be copied four times. */
export async function receiveImage(folder: string, content: Chunks): Promise<ReceivedImage> {
  const name = crypto.randomUUID();
  const path = join(folder, name);
  const start = new Uint8Array(START_BYTES);
  let sizeBytes = 0;
  using stack = new DisposableStack();
  stack.defer(() => void removeImage(path));
  using file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
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
}

/** Reads an image that the service has stored. */
export async function readImage(folder: string, name: string): Promise<Uint8Array<ArrayBuffer>> {
  if (!IMAGE_NAME.test(name)) throw new Error(`Cannot read an image: ${JSON.stringify(name)} is not a name`);
  return await Deno.readFile(join(folder, name));
}

async function removeImage(path: string): Promise<void> {
  await Deno.remove(path).catch(() => {}); // the launcher may have removed the folder
}
