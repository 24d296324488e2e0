import { join } from "node:path";
import type { Tidied } from "../services/object_store.ts";
import { type DiskFolder, stageFile, storeFiles } from "./disk_writes.ts";
import { walkFolder } from "./folder_walk.ts";
import { lockKeys } from "./key_lock.ts";
import { openObjectFile } from "./object_file.ts";
import { METADATA, removeVersions } from "./object_metadata.ts";
import { findFile, isSegment } from "./object_path.ts";

/**
 * Converts files of version 0.1.0, which end with their metadata, into plain files. Also deletes metadata whose file is
 * gone: a process was killed between the two, or someone deleted the file. Looks at `maxObjects` objects after `after`.
 */
export async function tidyFiles(
  disk: DiskFolder,
  { after = "", maxObjects }: { after?: string; maxObjects: number },
): Promise<Tidied> {
  const tidied: Tidied = { convertedObjects: 0, failedKeys: [], next: null };
  let seenObjects = 0;
  for await (const key of walkFolder(disk.root, { prefix: "", after, isName: isSegment })) {
    try {
      if (await convertFile(disk, key)) tidied.convertedObjects++;
    } catch {
      tidied.failedKeys.push(key);
    }
    if (++seenObjects === maxObjects) {
      tidied.next = key;
      break;
    }
  }
  await deleteUnusedMetadata(disk, { after, upTo: tidied.next });
  return tidied;
}

/**
 * Replaces a file with a copy of its content. Nothing changes for readers, and nothing happens if another process has
 * replaced the file meanwhile.
 */
async function convertFile(disk: DiskFolder, key: string): Promise<boolean> {
  const old = await openObjectFile(disk.root, key);
  using stack = new DisposableStack();
  stack.defer(() => old?.close()); // on a full disk, nothing reads the stream, which would close the file
  if (!old?.hasTrailer) return false;
  const { contentType, sha256, inode, modifiedAt } = old;
  await using staged = await stageFile(disk, old.stream());
  if (staged.sha256 !== sha256) throw new Error(`Converting a stored object: its content is damaged: ${key}`);
  await storeFiles(disk, [{ ...staged, key, contentType, converted: { inode, modifiedAt } }]);
  return true;
}

async function deleteUnusedMetadata(
  { root }: DiskFolder,
  { after, upTo }: { after: string; upTo: string | null },
): Promise<void> {
  for await (const key of walkFolder(join(root, METADATA), { prefix: "", after, isName: isSegment })) {
    if (upTo !== null && key > upTo) return;
    if (await findFile(root, key) !== null) continue;
    using _lock = await lockKeys(root, [key]);
    if (await findFile(root, key) === null) await removeVersions(root, key.split("/"));
  }
}
