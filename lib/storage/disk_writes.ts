import { join } from "node:path";
import { secondsAfter } from "../duration.ts";
import { AppError } from "../errors.ts";
import { diskError } from "./disk_errors.ts";
import type { DiskReserve } from "./disk_reserve.ts";
import { flushFolder, makeFolder, orNull, removeIfPresent } from "./folders.ts";
import { lockKey } from "./key_lock.ts";
import { type Content, openObjectFile, writeContent } from "./object_file.ts";
import { findVersion, readVersions, removeVersions, wholeSeconds, writeVersions } from "./object_metadata.ts";
import { findFile, requireSegments } from "./object_path.ts";
import { claimTemporaryFile, createTemporaryFile, type TemporaryFile } from "./temporary_file.ts";

/** The folder of a store, and what its writes depend on. */
export interface DiskFolder {
  root: string;
  reserve: DiskReserve;
  now(): Date;
}

/** Received content that has no key yet. */
export interface StagedFile extends AsyncDisposable {
  temporary: TemporaryFile;
  sizeBytes: number;
  sha256: string;
}

/**
 * Writes content into a temporary file. Disposing of it discards the content unless it has been stored.
 *
 * @param claimedKey if given, the key of which only one file at a time is staged.
 * @throws {AppError} UPLOAD_IN_PROGRESS while another one is.
 */
export async function stageFile(
  { root, reserve }: DiskFolder,
  content: Content,
  claimedKey?: string,
): Promise<StagedFile> {
  try {
    await using stack = new AsyncDisposableStack();
    const temporary = stack.use(await openTemporaryFile(root, claimedKey)); // first, because it creates a deleted folder again
    const beforeWrite = await reserve.startFile();
    const written = await writeContent(temporary.file, content, beforeWrite);
    const owned = stack.move();
    return { temporary, ...written, [Symbol.asyncDispose]: () => owned.disposeAsync() };
  } catch (error) {
    throw diskError(error);
  }
}

async function openTemporaryFile(root: string, claimedKey?: string): Promise<TemporaryFile> {
  if (claimedKey === undefined) return await createTemporaryFile(root);
  const claimed = await claimTemporaryFile(root, claimedKey);
  if (claimed !== null) return claimed;
  throw new AppError("UPLOAD_IN_PROGRESS", { retryAfterSeconds: 1 });
}

/** The file that a conversion replaces. */
interface ConvertedFile {
  inode: number | null;
  modifiedAt: Date;
}

/**
 * Makes a staged file an object. The rename is the moment at which readers see the new version; whenever the process is
 * killed, they see either version whole, with its own metadata.
 *
 * @param converted if given, nothing happens unless the object is still this file.
 */
export async function storeFile(
  { root, now }: DiskFolder,
  key: string,
  { temporary: { file, moveTo }, contentType, sizeBytes, sha256, converted }:
    & StagedFile
    & { contentType: string; converted?: ConvertedFile },
): Promise<void> {
  const segments = requireSegments(key);
  try {
    await file.sync(); // before the lock, because it may take seconds
    const folder = await makeFolder(root, segments.slice(0, -1));
    const target = join(folder, segments.at(-1)!);
    using _lock = await lockKey(root, key);
    const present = await orNull(Deno.lstat(target));
    if (converted && present?.ino !== converted.inode) return;
    const modifiedAt = converted ? wholeSeconds(converted.modifiedAt) : nextTime(now(), present);
    await file.utime(modifiedAt, modifiedAt);
    await file.sync();
    const presentVersion = present && findVersion(await readVersions(root, segments), present);
    const version = { contentType, sha256, sizeBytes, modifiedAt };
    await writeVersions(root, segments, presentVersion ? [version, presentVersion] : [version]);
    await moveTo(target);
    await flushFolder(folder);
  } catch (error) {
    throw diskError(error);
  }
}

/** Each version of an object is newer than the one before, because versions differ by size and time. */
function nextTime(now: Date, present: Deno.FileInfo | null): Date {
  const earliest = present?.mtime ? secondsAfter(present.mtime, 1) : now;
  return wholeSeconds(earliest > now ? earliest : now);
}

/** Deletes an object and its metadata. With `etag`, only if that is its entity tag. */
export async function deleteFile({ root }: DiskFolder, key: string, condition?: { etag: string }): Promise<void> {
  if (await findFile(root, key) === null) return;
  try {
    using _lock = await lockKey(root, key);
    const object = await openObjectFile(root, key);
    object?.close();
    if (object === null || condition && object.etag !== condition.etag) return;
    const segments = requireSegments(key);
    await removeIfPresent(join(root, ...segments));
    await removeVersions(root, segments);
  } catch (error) {
    throw diskError(error);
  }
}
