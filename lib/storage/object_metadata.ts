import { join } from "node:path";
import { PRIVATE } from "../config/data_dir.ts";
import { SECOND_MS, unixSeconds } from "../duration.ts";
import { orNull, removeIfPresent } from "./folders.ts";
import { createTemporaryFile, writeAll } from "./temporary_file.ts";

/** The folder of the metadata. The metadata of an object has the same path in it as the object in the store. */
export const METADATA = ".metadata";

/** What is known of one version of a file. */
export interface FileVersion {
  contentType: string;
  /** The hash of the content, in hexadecimal. */
  sha256: string;
  sizeBytes: number;
  /** The modification time of the file, in whole seconds: most ways to copy a file keep that much of it. */
  modifiedAt: Date;
}

/**
 * Writes what is known of a file: of the version that is stored next and of the present one, newest first. No file
 * system replaces two files at once, so the metadata is written before the content and describes both versions. A
 * reader finds the right one by size and time, whenever the process is killed. The caller has made the folder, and
 * flushes it.
 *
 * @param isNew whether there is no file yet. Then no one reads the metadata, so it needs no temporary file.
 */
export async function writeVersions(
  root: string,
  segments: string[],
  versions: FileVersion[],
  { isNew }: { isNew: boolean },
): Promise<void> {
  const path = join(root, METADATA, ...segments);
  if (isNew) {
    using file = await Deno.open(path, { write: true, create: true, truncate: true, ...PRIVATE.file });
    return await writeFlushed(file, versions);
  }
  await using temporary = await createTemporaryFile(root);
  await writeFlushed(temporary.file, versions);
  await temporary.moveTo(path);
}

async function writeFlushed(file: Deno.FsFile, versions: FileVersion[]): Promise<void> {
  await writeAll(file, new TextEncoder().encode(JSON.stringify(versions, null, 2)));
  await file.sync();
}

/**
 * Returns the versions of a file that are known. Malformed metadata, which a killed process or a person may leave,
 * counts as none.
 */
export async function readVersions(root: string, segments: string[]): Promise<FileVersion[]> {
  const text = await orNull(Deno.readTextFile(join(root, METADATA, ...segments)));
  try {
    return JSON.parse(text ?? "[]", (name, value) => name === "modifiedAt" ? new Date(value) : value).filter(isVersion);
  } catch {
    return [];
  }
}

/** Deletes the metadata of a file. Delete the file first: without metadata, it would have no content type. */
export async function removeVersions(root: string, segments: string[]): Promise<void> {
  await removeIfPresent(join(root, METADATA, ...segments));
}

/** Finds the version that a file is. Like rsync, it compares size and time, to the second. */
export function findVersion(versions: FileVersion[], { size, mtime }: Deno.FileInfo): FileVersion | undefined {
  const second = (time: Date | null) => Math.floor((time?.getTime() ?? 0) / SECOND_MS);
  return versions.find(({ sizeBytes, modifiedAt }) => sizeBytes === size && second(modifiedAt) === second(mtime));
}

/** Cuts a time as the metadata does. */
export function wholeSeconds(time: Date): Date {
  return new Date(SECOND_MS * unixSeconds(time));
}

function isVersion(value: FileVersion): boolean {
  return typeof value?.contentType === "string" && typeof value.sha256 === "string";
}
