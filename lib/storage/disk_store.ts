import { join } from "node:path";
import { makePrivateFolder } from "../config/data_dir.ts";
import { secondsAfter } from "../duration.ts";
import { AppError } from "../errors/errors.ts";
import type { AppSecrets } from "../crypto/derived_key.ts";
import type { NewObject, ObjectStore, OpenObject, StoredObject } from "../services/object_store.ts";
import { atMost, exactly } from "./bounded_content.ts";
import { readOrCreate } from "../bytes/first_file.ts";
import { settled } from "./settled.ts";
import { diskError } from "./disk_errors.ts";
import { type DiskReserve, NO_RESERVE } from "./disk_reserve.ts";
import { tidyFiles } from "./disk_tidying.ts";
import { deleteFile, type DiskFolder, stageFile, storeFiles } from "./disk_writes.ts";
import { walkFolder } from "./folder_walk.ts";
import { entityTagOf, openObjectFile } from "./object_file.ts";
import { isSegment } from "./object_path.ts";
import { deleteAbandonedFiles } from "./temporary_file.ts";
import { createUploadSigner } from "./upload_signature.ts";

const ID_FILE = ".store-id";

export interface DiskStoreOptions extends AppSecrets {
  /** The folder of the store. It is created if it does not exist. */
  directory: string;
  /** The origin that serves /files, without a trailing slash. */
  baseUrl: string;
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
 * - `uploads/u/a.mp4` is the object with this key: a plain file with exactly its bytes, which other programs of the
 *   same user may read.
 * - `.metadata/uploads/u/a.mp4` contains its content type and hash (see object_metadata.ts).
 * - `.temporary` contains writes in progress. Each is flushed, then renamed, so that readers see the old object, the
 *   new one or none, but never a part of one. The metadata of a new object is written in place, before there
 *   is an object.
 * - `.store-id` identifies the folder to instances that share a database.
 * - `.locks` keeps processes that share the folder from changing one object at the same time. Reading needs no lock.
 */
export async function createDiskStore({ directory, baseUrl, ...options }: DiskStoreOptions): Promise<ObjectStore> {
  await makePrivateFolder(directory);
  const root = await Deno.realPath(directory);
  if (options.sweeps ?? true) await deleteAbandonedFiles(root);
  const disk: DiskFolder = { root, reserve: options.reserve ?? NO_RESERVE, now: options.now };
  const signer = await createUploadSigner(options);
  const publicUrl = (key: string) => `${baseUrl}/files/${key.split("/").map(encodeURIComponent).join("/")}`;
  const putAll = async (objects: NewObject[]) => {
    await using stack = new AsyncDisposableStack();
    const files = await settled(objects.map(async ({ bytes, ...object }) => ({
      ...object,
      ...stack.use(await stageFile(disk, [bytes])),
    })));
    await storeFiles(disk, files);
    return files.map(({ sha256 }) => entityTagOf(sha256));
  };

  return {
    identify: async () => `folder ${await readOrCreate(join(root, ID_FILE), () => crypto.randomUUID())}`,
    async check() {
      await using _staged = await stageFile(disk, [new Uint8Array([0])]);
    },
    async presignPut(grant, expiresInSeconds) {
      const query = await signer.sign(grant, secondsAfter(options.now(), expiresInSeconds));
      return `${publicUrl(grant.key)}?${query}`;
    },
    async putPresigned(upload) {
      const permitted = await signer.verify(upload, options.now());
      if (permitted === null) throw new AppError("FORBIDDEN", { reason: "uploadUrl" });
      const content = permitted.sizeBytes === undefined
        ? atMost(options.uploadMaxBytes, upload)
        : exactly(permitted.sizeBytes, upload);
      const { key, contentType } = upload;
      await using staged = await stageFile(disk, content, key);
      await storeFiles(disk, [{ ...staged, key, contentType }]);
    },
    put: async (key, bytes, contentType) => (await putAll([{ key, bytes, contentType }]))[0],
    putAll,
    async stage(content) {
      const staged = await stageFile(disk, content);
      return { ...staged, store: (key, contentType) => storeFiles(disk, [{ ...staged, key, contentType }]) };
    },
    head: (key) => head(root, key),
    async readStart(key, maxBytes) {
      const object = await open(root, key);
      if (object === null) return null;
      const end = Math.min(maxBytes, object.sizeBytes) - 1;
      return { bytes: await new Response(object.stream({ start: 0, end })).bytes(), object: metadataOf(object) };
    },
    open: (key) => open(root, key),
    delete: (key, condition) => deleteFile(disk, key, condition),
    async *list({ prefix = "", after = "" } = {}) {
      for await (const key of walkFolder(root, { prefix, after, isName: isSegment })) {
        const object = await head(root, key);
        if (object !== null) yield { key, sizeBytes: object.sizeBytes, modifiedAt: object.modifiedAt };
      }
    },
    tidy: (options) => tidyFiles(disk, options),
    publicUrl,
  };
}

async function open(root: string, key: string): Promise<OpenObject | null> {
  try {
    return await openObjectFile(root, key);
  } catch (error) {
    throw diskError(error);
  }
}

/** Returns the metadata of an object in a folder, or null. */
export async function head(root: string, key: string): Promise<StoredObject | null> {
  const object = await open(root, key);
  object?.close();
  return object && metadataOf(object);
}

function metadataOf({ contentType, sizeBytes, etag, modifiedAt }: OpenObject): StoredObject {
  return { contentType, sizeBytes, etag, modifiedAt };
}
