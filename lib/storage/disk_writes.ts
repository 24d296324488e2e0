import { join } from "node:path";
import { secondsAfter } from "../duration.ts";
import { AppError } from "../errors/errors.ts";
import { diskError } from "./disk_errors.ts";
import type { DiskReserve } from "./disk_reserve.ts";
import { flushFolder, makeFolder, orNull, removeIfPresent } from "./folders.ts";
import { lockKeys } from "./key_lock.ts";
import { type Content, openObjectFile, writeContent } from "./object_file.ts";
import { findVersion, METADATA, readVersions, removeVersions, wholeSeconds, writeVersions } from "./object_metadata.ts";
import { findFile, requireSegments } from "./object_path.ts";
import { settled } from "./settled.ts";
import { claimTemporaryFile, createTemporaryFile, type TemporaryFile } from "./temporary_file.ts";

/** The folder of a store, and what its writes depend on. */
export interface DiskFolder {
  root: string;
  reserve: DiskReserve;
  now(): Date;
}

/** Received content that has no key yet. */
export interface StagedContent extends AsyncDisposable {
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
): Promise<StagedContent> {
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

/** A staged file, and the object that it becomes. */
export interface NewFile extends StagedContent {
  key: string;
  contentType: string;
  /** If given, nothing happens unless the object is still this file. */
  converted?: ConvertedFile;
}

/**
 * Makes staged files objects. A rename is the moment at which readers see the new version; whenever the process is
 * killed, they see either version whole, with its own metadata. The files are written together and renamed in their
 * order, and each folder is flushed once for all of them.
 */
export async function storeFiles({ root, now }: DiskFolder, files: NewFile[]): Promise<void> {
  const folders = new Set(files.map(({ key }) => requireSegments(key).slice(0, -1).join("/")));
  try {
    const dated = files.map((file) => ({ ...file, modifiedAt: wholeSeconds(file.converted?.modifiedAt ?? now()) }));
    await settled(dated.map(flushFile)); // before the locks, because it may take seconds
    for (const folder of folders) await settled([makeFolder(root, folder), makeFolder(root, `${METADATA}/${folder}`)]);
    using _locks = await lockKeys(root, files.map(({ key }) => key));
    const described = await settled(dated.map((file) => describeFile(root, file)));
    await settled([...folders].map((folder) => flushFolder(join(root, METADATA, folder))));
    for (const { key, temporary } of described.flat()) await temporary.moveTo(join(root, key));
    await settled([...folders].map((folder) => flushFolder(join(root, folder))));
  } catch (error) {
    throw diskError(error);
  }
}

/** A file that has the time of its version. */
interface DatedFile extends NewFile {
  modifiedAt: Date;
}

async function flushFile({ temporary: { file }, modifiedAt }: DatedFile): Promise<void> {
  await file.utime(modifiedAt, modifiedAt);
  await file.sync();
}

/** Writes the metadata of a file that becomes an object. Returns nothing if it is not to become one. */
async function describeFile(root: string, file: DatedFile): Promise<DatedFile[]> {
  const { key, contentType, sizeBytes, sha256, converted } = file;
  const segments = requireSegments(key);
  const present = await orNull(Deno.lstat(join(root, ...segments)));
  if (converted && present?.ino !== converted.inode) return [];
  const modifiedAt = converted ? file.modifiedAt : timeAfter(present, file.modifiedAt);
  if (modifiedAt > file.modifiedAt) await flushFile({ ...file, modifiedAt });
  const presentVersion = present && findVersion(await readVersions(root, segments), present);
  const version = { contentType, sha256, sizeBytes, modifiedAt };
  await writeVersions(root, segments, presentVersion ? [version, presentVersion] : [version], { isNew: !present });
  return [file];
}

/** Each version of an object is newer than the one before, because versions differ by size and time. */
function timeAfter(present: Deno.FileInfo | null, time: Date): Date {
  const earliest = present?.mtime ? wholeSeconds(secondsAfter(present.mtime, 1)) : time;
  return earliest > time ? earliest : time;
}

/** Deletes an object and its metadata. With `etag`, only if that is its entity tag. */
export async function deleteFile({ root }: DiskFolder, key: string, condition?: { etag: string }): Promise<void> {
  if (await findFile(root, key) === null) return;
  try {
    using _lock = await lockKeys(root, [key]);
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
