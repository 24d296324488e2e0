import { join } from "node:path";
import { secondsAfter } from "../duration.ts";
import { AppError } from "../errors.ts";
import type { ObjectStore } from "../services.ts";
import { atMost, exactly } from "./bounded_content.ts";
import { diskError } from "./disk_errors.ts";
import { openObjectFile, writeObjectFile } from "./object_file.ts";
import { createUploadSigner } from "./upload_signature.ts";

/** No key's segment starts with a dot, so none can name it. */
const TEMPORARY = ".temporary";
const KEY_MAX_LENGTH = 1024;
/** Nothing that a file system or a URL reads in a way of its own; 255 bytes is the longest name that a folder holds. */
const SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,254}$/;

export interface DiskStoreOptions {
  /** Made where it is missing. */
  directory: string;
  /** The origin under which /files is served, without a slash at its end. */
  baseUrl: string;
  /** The presigned URLs are signed with a key derived from it. */
  appSecret: string;
  /** Of an upload whose size was not declared. */
  uploadMaxBytes: number;
  /** Whether to sweep what broken writes have left; by default it does. */
  sweeps?: boolean;
  now(): Date;
}

/**
 * Opens a store in a folder.
 *
 * An object is one file, its content type inside (see object_file.ts). It is written beside the objects, flushed, then
 * renamed into its place: at any moment the old object is there, or the new one, or none.
 */
export async function createDiskStore({ directory, baseUrl, ...options }: DiskStoreOptions): Promise<ObjectStore> {
  await Deno.mkdir(directory, { recursive: true });
  const root = await Deno.realPath(directory);
  if (options.sweeps ?? true) await sweep(join(root, TEMPORARY));
  const signer = await createUploadSigner(options.appSecret);
  const publicUrl = (key: string) => `${baseUrl}/files/${key.split("/").map(encodeURIComponent).join("/")}`;

  return {
    async presignPut(grant, expiresInSeconds) {
      const query = await signer.sign(grant, secondsAfter(options.now(), expiresInSeconds));
      return `${publicUrl(grant.key)}?${query}`;
    },
    async putPresigned(upload) {
      const admitted = await signer.verify(upload, options.now());
      if (admitted === null) throw notAdmitted();
      const content = admitted.sizeBytes === undefined
        ? atMost(options.uploadMaxBytes, upload)
        : exactly(admitted.sizeBytes, upload);
      await write(root, upload.key, { content, contentType: upload.contentType });
    },
    put: (key, bytes, contentType) => write(root, key, { content: [bytes], contentType }),
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

interface NewObject {
  content: Iterable<Uint8Array<ArrayBuffer>> | AsyncIterable<Uint8Array<ArrayBuffer>>;
  contentType: string;
}

async function write(root: string, key: string, { content, contentType }: NewObject): Promise<void> {
  const segments = requireSegments(key);
  const temporary = join(root, TEMPORARY);
  const path = join(temporary, crypto.randomUUID());
  try {
    await Deno.mkdir(temporary, { recursive: true }); // somebody may have cleared it, or the whole store, away
    using file = await Deno.open(path, { write: true, createNew: true });
    await file.lock(true); // tells the sweep of another process that somebody is at it
    await writeObjectFile(file, content, contentType);
    const folder = await makeFolder(root, segments.slice(0, -1));
    await Deno.rename(path, join(folder, segments.at(-1)!));
    await flushFolder(folder);
  } catch (error) {
    await removeIfPresent(path).catch(() => {}); // a disk that has gone read-only keeps it until the next start sweeps
    throw diskError(error);
  }
}

function notAdmitted(): AppError {
  return new AppError("FORBIDDEN", "This address does not admit the upload, or does not any longer");
}

async function open(root: string, key: string) {
  try {
    const path = await findFile(root, key);
    return path === null ? null : await orNull(openObjectFile(path));
  } catch (error) {
    throw diskError(error);
  }
}

/** The path of the object, or null; a symbolic link on the way leads nowhere. */
async function findFile(root: string, key: string): Promise<string | null> {
  const segments = parseKey(key);
  if (segments === null) return null;
  const path = join(root, ...segments);
  if (await orNull(Deno.realPath(path)) !== path) return null;
  return (await orNull(Deno.lstat(path)))?.isFile ? path : null;
}

function requireSegments(key: string): string[] {
  const segments = parseKey(key);
  if (segments === null) throw new Error(`Storing an object: the key is malformed: ${JSON.stringify(key)}`);
  return segments;
}

function parseKey(key: string): string[] | null {
  const segments = key.split("/");
  return key.length <= KEY_MAX_LENGTH && segments.every((segment) => SEGMENT.test(segment)) ? segments : null;
}

/** Makes the folders below `root` one by one: what stands in their place, a symbolic link too, is an error. */
async function makeFolder(root: string, names: string[]): Promise<string> {
  let folder = root;
  for (const name of names) {
    const parent = folder;
    folder = join(parent, name);
    if ((await orNull(Deno.lstat(folder)))?.isDirectory) continue;
    await Deno.mkdir(folder).catch(ignore(Deno.errors.AlreadyExists));
    if (!(await Deno.lstat(folder)).isDirectory) throw new Error(`Storing an object: not a folder: ${folder}`);
    await flushFolder(parent);
  }
  return folder;
}

/** Removes what broken writes have left. What is being written, by an older process on the same folder, is locked. */
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

/** Makes renames and new names in a folder outlast a loss of power. */
async function flushFolder(path: string): Promise<void> {
  if (Deno.build.os === "windows") return; // knows no such thing
  using folder = await Deno.open(path);
  await folder.sync();
}

/** Null where the file, or a folder on the way to it, does not exist. */
async function orNull<T>(promise: Promise<T>): Promise<T | null> {
  return await promise.catch((error) => ignore(Deno.errors.NotFound, Deno.errors.NotADirectory)(error) ?? null);
}

function ignore(...types: (new (message: string) => Error)[]): (error: unknown) => undefined {
  return (error) => {
    if (!types.some((type) => error instanceof type)) throw error;
  };
}
