import { join } from "node:path";
import { writeAll } from "./messages.ts";

const IMAGE_NAME = /^[0-9a-f-]{36}$/;

/** Returns the path of the socket where the launcher lends converters, in the folder that it shares with the service. */
export function socketIn(folder: string): string {
  return join(folder, "socket");
}

/**
 * Stores an image where converters can read it. Through the connection, its bytes would be copied four times.
 *
 * @returns the name of the file.
 */
export async function putImage(folder: string, bytes: Uint8Array): Promise<string> {
  const name = crypto.randomUUID();
  const path = join(folder, name);
  using file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 }); // Deno.writeFile copies the bytes
  await writeAll(file, bytes).catch(async (error) => {
    await removeImage(folder, name); // the disk may be full
    throw error;
  });
  return name;
}

/** Reads an image that the service has stored. */
export async function readImage(folder: string, name: string): Promise<Uint8Array<ArrayBuffer>> {
  if (!IMAGE_NAME.test(name)) throw new Error(`Cannot read an image: ${JSON.stringify(name)} is not a name`);
  return await Deno.readFile(join(folder, name));
}

/** Removes an image, if it is there. */
export async function removeImage(folder: string, name: string): Promise<void> {
  await Deno.remove(join(folder, name)).catch(() => {});
}
