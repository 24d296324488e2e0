import { join } from "node:path";
import { writeChunks } from "../bytes/chunks.ts";
import type { ImageConverter } from "../services/services.ts";
import { writeAll } from "./messages.ts";

/** Enough to recognize the type of an image. */
const START_BYTES = 16;
/** How many empty files are kept for the next images. */
const MAX_EMPTIED = 8;
const IMAGE_NAME = /^[0-9a-f-]{36}$/;

/**
 * Returns the path of the socket where the launcher lends converters, in the folder that it shares with the service.
 */
export function socketIn(folder: string): string {
  return join(folder, "socket");
}

/**
 * Returns a function that stores images where converters can read them, while they arrive. Through the connection,
 * their bytes would be copied four times. Files are emptied and used again: after many deletions, some file systems
 * take long to create one. An image without bytes has no file.
 */
export function imageReceiver(folder: string): ImageConverter["receive"] {
  const emptied: string[] = [];

  async function empty(name: string): Promise<void> {
    const path = join(folder, name);
    const isEmpty = await Deno.truncate(path).then(() => true, () => false);
    if (isEmpty && emptied.length < MAX_EMPTIED) emptied.push(name);
    else await Deno.remove(path);
  }

  return async (content) => {
    const start = new Uint8Array(START_BYTES);
    let [name, sizeBytes] = ["", 0];
    let file: Deno.FsFile | undefined;
    using image = new DisposableStack();
    using writing = new DisposableStack();

    async function open(): Promise<Deno.FsFile> {
      name = emptied.pop() ?? crypto.randomUUID();
      image.defer(() => void empty(name).catch(() => {})); // fails if the launcher has removed the folder
      return writing.use(await Deno.open(join(folder, name), { write: true, create: true, mode: 0o600 }));
    }

    const write = async (chunk: Uint8Array<ArrayBuffer>) => {
      if (chunk.length > 0) await writeAll(file ??= await open(), chunk);
    };
    await writeChunks(content, write, (chunk) => {
      if (sizeBytes < START_BYTES) start.set(chunk.subarray(0, START_BYTES - sizeBytes), sizeBytes);
      sizeBytes += chunk.length;
    });
    const owned = image.move();
    return {
      file: name,
      sizeBytes,
      start: start.subarray(0, sizeBytes),
      async hash() {
        return new Uint8Array(await crypto.subtle.digest("SHA-256", await readImage(folder, name))).toBase64();
      },
      [Symbol.dispose]: () => owned.dispose(),
    };
  };
}

/** Reads an image that the service has stored. One without bytes has no name. */
export async function readImage(folder: string, name: string): Promise<Uint8Array<ArrayBuffer>> {
  if (name === "") return new Uint8Array();
  if (!IMAGE_NAME.test(name)) throw new Error(`Cannot read an image: ${JSON.stringify(name)} is not a name`);
  return await Deno.readFile(join(folder, name));
}
