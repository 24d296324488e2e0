import { join } from "node:path";
import { ignore, orNull, removeIfPresent } from "./folders.ts";

const TEMPORARY = ".temporary";

/** A new file that is not an object yet. Disposing of it deletes the file, unless it has been renamed. */
export interface TemporaryFile extends AsyncDisposable {
  path: string;
  file: Deno.FsFile;
}

/** Creates an empty file in the folder of unfinished writes. */
export async function createTemporaryFile(root: string): Promise<TemporaryFile> {
  await Deno.mkdir(join(root, TEMPORARY), { recursive: true }); // an operator may have deleted it, or the whole store
  const path = join(root, TEMPORARY, crypto.randomUUID());
  const file = await Deno.open(path, { write: true, createNew: true });
  let isOpen = true;
  const discard = async () => {
    if (isOpen) file.close();
    isOpen = false;
    await removeIfPresent(path).catch(() => {}); // on a disk that is now read-only, the next start deletes it
  };
  try {
    await file.lock(true); // keeps another process's start from deleting it
  } catch (error) {
    await discard();
    throw error;
  }
  return { path, file, [Symbol.asyncDispose]: discard };
}

/** Deletes the remains of interrupted writes. Files that another process is writing are locked, and are kept. */
export async function deleteAbandonedFiles(root: string): Promise<void> {
  const folder = join(root, TEMPORARY);
  await Deno.mkdir(folder).catch(ignore(Deno.errors.AlreadyExists));
  for await (const { name } of Deno.readDir(folder)) {
    const path = join(folder, name);
    using file = await orNull(Deno.open(path));
    if (await file?.tryLock(true)) await removeIfPresent(path);
  }
}

/** Writes all bytes at the current position of a file. */
export async function writeAll(file: Deno.FsFile, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  for (let written = 0; written < bytes.length;) written += await file.write(bytes.subarray(written));
}
