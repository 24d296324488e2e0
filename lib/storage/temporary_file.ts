import { createHash } from "node:crypto";
import { join } from "node:path";
import { PRIVATE } from "../config/data_dir.ts";
import { ignore, openInFolder, orNull, removeIfPresent } from "./folders.ts";

const TEMPORARY = ".temporary";

/** A new file that is not an object yet. Disposing of it deletes the file, unless it has been moved. */
export interface TemporaryFile extends AsyncDisposable {
  file: Deno.FsFile;
  /** Makes it the file at another path of the same disk. Replaces an existing one. */
  moveTo(path: string): Promise<void>;
}

/** Creates an empty file in the folder of unfinished writes. */
export async function createTemporaryFile(root: string): Promise<TemporaryFile> {
  const [folder, name] = [join(root, TEMPORARY), crypto.randomUUID()];
  const opened = temporaryFile(join(folder, name), await openInFolder(folder, name, { createNew: true }));
  await using stack = new AsyncDisposableStack();
  stack.use(opened);
  await opened.file.lock(true); // keeps another process's start from deleting it
  stack.move();
  return opened;
}

/**
 * Creates the temporary file of a key, of which there is at most one. Returns null while another process or request
 * holds it. The lock ends with its process, so what a killed process has left is used again.
 */
export async function claimTemporaryFile(root: string, key: string): Promise<TemporaryFile | null> {
  const [folder, name] = [join(root, TEMPORARY), createHash("sha256").update(key).digest("hex")];
  const path = join(folder, name);
  while (true) {
    using stack = new DisposableStack();
    const file = await openInFolder(folder, name, { create: true });
    stack.defer(() => file.close());
    if (!await file.tryLock(true)) return null;
    if (!await isAt(file, path)) continue; // the upload before has ended since, and moved or deleted its file
    await file.truncate();
    stack.move();
    return temporaryFile(path, file);
  }
}

/** Whether a path still leads to an open file. */
async function isAt(file: Deno.FsFile, path: string): Promise<boolean> {
  const found = await orNull(Deno.lstat(path));
  return found !== null && found.ino === (await file.stat()).ino;
}

function temporaryFile(path: string, file: Deno.FsFile): TemporaryFile {
  let [isOpen, isMoved] = [true, false];
  return {
    file,
    async moveTo(target) {
      await Deno.rename(path, target);
      isMoved = true;
    },
    async [Symbol.asyncDispose]() {
      if (!isOpen) return;
      isOpen = false;
      // Before the lock ends with the file: afterward the path may lead to the file of another upload.
      if (!isMoved) await removeIfPresent(path).catch(() => {}); // on a disk that is now read-only, the next start does it
      file.close();
    },
  };
}

/** Deletes the remains of interrupted writes. Files that another process is writing are locked, and are kept. */
export async function deleteAbandonedFiles(root: string): Promise<void> {
  const folder = join(root, TEMPORARY);
  await Deno.mkdir(folder, PRIVATE.folder).catch(ignore(Deno.errors.AlreadyExists));
  for await (const { name } of Deno.readDir(folder)) {
    const path = join(folder, name);
    using file = await orNull(Deno.open(path));
    if (file && await file.tryLock(true) && await isAt(file, path)) await removeIfPresent(path);
  }
}

/** Writes all bytes at the current position of a file. */
export async function writeAll(file: Deno.FsFile, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  for (let written = 0; written < bytes.length;) written += await file.write(bytes.subarray(written));
}
