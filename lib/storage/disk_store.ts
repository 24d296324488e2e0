import { join } from "node:path";
import { secondsAfter } from "../duration.ts";
import { AppError } from "../errors.ts";
import type { ObjectStore, StagedObject } from "../services.ts";
import { atMost, exactly } from "./bounded_content.ts";
import { diskError } from "./disk_errors.ts";
import { type DiskReserve, NO_RESERVE } from "./disk_reserve.ts";
import { finishObjectFile, openObjectFile, writeContent } from "./object_file.ts";
import { createUploadSigner } from "./upload_signature.ts";

/** A key cannot name this folder: none of its segments starts with a dot. */
const TEMPORARY = ".temporary";
const KEY_MAX_LENGTH = 1024;
/** Contains nothing that a file system or a URL treats specially. 255 bytes is the longest name in a folder. */
const SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,254}$/;

export interface DiskStoreOptions {
  /** The folder of the store. It is created if it does not exist. */
  directory: string;
  /** The origin that serves /files, without a trailing slash. */
  baseUrl: string;
  /** The secret from which the key for presigned URLs is derived. */
  appSecret: string;
  /** The limit for uploads without a declared size. */
  uploadMaxBytes: number;
  /** Whether to delete the remains of interrupted writes at the start; true by default. */
  sweeps?: boolean;
  /** Space to keep free on the disk; none by default. */
  reserve?: DiskReserve;
  now(): Date;
}

/**
 * Opens a store in a folder.
 *
 * An object is one file that contains its content type (see object_file.ts). It is written in a temporary folder,
 * flushed, then renamed, so that readers see the old object, the new one or none, but never a part of one.
 */
export async function createDiskStore({ directory, baseUrl, ...options }: DiskStoreOptions): Promise<ObjectStore> {
  await Deno.mkdir(directory, { recursive: true });
  const root = await Deno.realPath(directory);
  if (options.sweeps ?? true) await sweep(join(root, TEMPORARY));
  const signer = await createUploadSigner(options.appSecret);
  const publicUrl = (key: string) => `${baseUrl}/files/${key.split("/").map(encodeURIComponent).join("/")}`;
  const stage = (content: Content) => stageFile(root, content, options.reserve ?? NO_RESERVE);
  const write = async (key: string, content: Content, contentType: string) => {
    requireSegments(key);
    await using staged = await stage(content);
    await staged.store(key, contentType);
  };

  return {
    async presignPut(grant, expiresInSeconds) {
      const query = await signer.sign(grant, secondsAfter(options.now(), expiresInSeconds));
      return `${publicUrl(grant.key)}?${query}`;
    },
    async putPresigned(upload) {
      const permitted = await signer.verify(upload, options.now());
      if (permitted === null) throw new AppError("FORBIDDEN", "The upload URL is invalid or has expired");
      const content = permitted.sizeBytes === undefined
        ? atMost(options.uploadMaxBytes, upload)
        : exactly(permitted.sizeBytes, upload);
      await write(upload.key, content, upload.contentType);
    },
    put: (key, bytes, contentType) => write(key, [bytes], contentType),
    stage,
    async head(key) {
      const object = await open(root, key);
      object?.close();
      return object && { contentType: object.contentType, sizeBytes: object.sizeBytes };
    },
    open: (key) => open(root, key),
    async delete(key) {
      const path = await findFile(root, key);
      if (path !== null) await removeIfPresent(path);
    },
    publicUrl,
  };
}

type Content = Iterable<Uint8Array<ArrayBuffer>> | AsyncIterable<Uint8Array<ArrayBuffer>>;

async function stageFile(root: string, content: Content, reserve: DiskReserve): Promise<StagedObject> {
  const path = join(root, TEMPORARY, crypto.randomUUID());
  let file: Deno.FsFile | undefined;
  const discard = async () => {
    file?.close();
    file = undefined;
    await removeIfPresent(path).catch(() => {}); // on a disk that is now read-only, the next start deletes it
  };
  try {
    await Deno.mkdir(join(root, TEMPORARY), { recursive: true }); // an operator may have deleted it, or the whole store
    const beforeWrite = await reserve.startFile();
    file = await Deno.open(path, { write: true, createNew: true });
    await file.lock(true); // keeps another process's sweep from deleting it
    const { sizeBytes, sha256 } = await writeContent(file, content, beforeWrite);
    return {
      sizeBytes,
      sha256,
      store: (key, contentType) => storeFile(root, key, { path, file: file!, trailer: { contentType, sha256 } }),
      [Symbol.asyncDispose]: discard,
    };
  } catch (error) {
    await discard();
    throw diskError(error);
  }
}

interface StagedFile {
  path: string;
  file: Deno.FsFile;
  trailer: { contentType: string; sha256: string };
}

async function storeFile(root: string, key: string, { path, file, trailer }: StagedFile): Promise<void> {
  const segments = requireSegments(key);
  try {
    await finishObjectFile(file, trailer);
    const folder = await makeFolder(root, segments.slice(0, -1));
    await Deno.rename(path, join(folder, segments.at(-1)!));
    await flushFolder(folder);
  } catch (error) {
    throw diskError(error);
  }
}

async function open(root: string, key: string) {
  try {
    const path = await findFile(root, key);
    return path === null ? null : await orNull(openObjectFile(path));
  } catch (error) {
    throw diskError(error);
  }
}

/** Returns the path of the object, or null. Symbolic links are not followed. */
async function findFile(root: string, key: string): Promise<string | null> {
  const segments = parseKey(key);
  if (segments === null) return null;
  const path = join(root, ...segments);
  if (await orNull(Deno.realPath(path)) !== path) return null;
  return (await orNull(Deno.lstat(path)))?.isFile ? path : null;
}

function requireSegments(key: string): string[] {
  const segments = parseKey(key);
  if (segments === null) throw new Error(`Cannot store an object: the key is malformed: ${JSON.stringify(key)}`);
  return segments;
}

function parseKey(key: string): string[] | null {
  const segments = key.split("/");
  return key.length <= KEY_MAX_LENGTH && segments.every((segment) => SEGMENT.test(segment)) ? segments : null;
}

/** Creates the folders below `root` one by one. Anything else in their place, even a symbolic link, is an error. */
async function makeFolder(root: string, names: string[]): Promise<string> {
  let folder = root;
  for (const name of names) {
    const parent = folder;
    folder = join(parent, name);
    if ((await orNull(Deno.lstat(folder)))?.isDirectory) continue;
    await Deno.mkdir(folder).catch(ignore(Deno.errors.AlreadyExists));
    if (!(await Deno.lstat(folder)).isDirectory) throw new Error(`Cannot store an object: not a folder: ${folder}`);
    await flushFolder(parent);
  }
  return folder;
}

/** Deletes the remains of interrupted writes. Files that another process is writing are locked, and are kept. */
async function sweep(temporary: string): Promise<void> {
  await Deno.mkdir(temporary).catch(ignore(Deno.errors.AlreadyExists));
  for await (const { name } of Deno.readDir(temporary)) {
    const path = join(temporary, name);
    using file = await orNull(Deno.open(path));
    if (await file?.tryLock(true)) await removeIfPresent(path);
  }
}

async function removeIfPresent(path: string): Promise<void> {
  await Deno.remove(path).catch(ignore(Deno.errors.NotFound));
}

/** Makes renames and new names in a folder survive a power failure. */
async function flushFolder(path: string): Promise<void> {
  if (Deno.build.os === "windows") return; // Windows cannot flush folders
  using folder = await Deno.open(path);
  await folder.sync();
}

/** Returns null if the file, or a folder on its path, does not exist. */
async function orNull<T>(promise: Promise<T>): Promise<T | null> {
  return await promise.catch((error) => ignore(Deno.errors.NotFound, Deno.errors.NotADirectory)(error) ?? null);
}

function ignore(...types: (new (message: string) => Error)[]): (error: unknown) => undefined {
  return (error) => {
    if (!types.some((type) => error instanceof type)) throw error;
  };
}
