import { AppError, type RefusedFile, validationFailed } from "../errors/errors.ts";
import { FILENAME_MAX, type StagedFile, UploadRequestSchema, type Visibility } from "./schema.ts";
import type { Problem } from "../errors/problem.ts";
import type { ObjectStore } from "../services/object_store.ts";
import { PICTURE_START_BYTES, pictureType } from "./rules.ts";
import type { Chunks } from "../bytes/chunks.ts";
import type { Services } from "../services/services.ts";
import { confirmUpload } from "./confirm.ts";
import { presignUpload } from "./presign.ts";

/**
 * The size limit of all files that a form without scripts sends together. With a bucket they are held in memory, so
 * this limit applies even if direct uploads may be larger.
 */
export const FORM_FILES_MAX_BYTES = 25 * 1024 * 1024;

/** The size limit of each of these files. */
export function formFileMaxBytes({ config }: Pick<Services, "config">): number {
  return Math.min(config.uploadMaxBytes, FORM_FILES_MAX_BYTES);
}

/** Receives files. Disposing of it discards those that have not been stored. */
export interface Staging extends Pick<ObjectStore, "stage">, AsyncDisposable {}

/** Creates a staging area for one request. */
export function openStaging({ objects }: Services): Staging {
  const staged = new AsyncDisposableStack();
  return {
    async stage(content) {
      const start = new Uint8Array(PICTURE_START_BYTES);
      const object = staged.use(await objects.stage(copyingStart(content, start)));
      return Object.assign(object, { start: start.subarray(0, object.sizeBytes) });
    },
    [Symbol.asyncDispose]: () => staged.disposeAsync(),
  };
}

/** Yields the content, and copies its beginning. */
async function* copyingStart(content: Chunks, start: Uint8Array): Chunks {
  let sizeBytes = 0;
  for await (const chunk of content) {
    if (sizeBytes < start.length) start.set(chunk.subarray(0, start.length - sizeBytes), sizeBytes);
    sizeBytes += chunk.length;
    yield chunk;
  }
}

/**
 * Stores the files of a form, one after another. Each is stored or refused by itself.
 *
 * @param store stores one of them.
 * @throws {AppError} what `store` throws for the only file; VALIDATION_FAILED with those of several that were refused.
 */
export async function storeEach(files: StagedFile[], store: (file: StagedFile) => Promise<void>): Promise<void> {
  const refused: RefusedFile[] = [];
  for (const file of files) {
    try {
      await store(file);
    } catch (error) {
      if (files.length === 1 || !(error instanceof AppError)) throw error;
      const { code, data } = error;
      refused.push({ name: file.name, code, data });
    }
  }
  const stored = files.length - refused.length;
  if (refused.length > 0) throw new AppError("VALIDATION_FAILED", { reason: "files", stored, refused });
}

/**
 * Stores a file that was sent by a form without scripts. The rules and the key are those of a direct upload.
 *
 * @throws {AppError} VALIDATION_FAILED, FILE_TYPE_NOT_ALLOWED, PAYLOAD_TOO_LARGE, QUOTA_EXCEEDED,
 * FILE_SIGNATURE_MISMATCH.
 */
export async function storeFile(
  services: Services,
  { userId, file, visibility }: { userId: string; file: StagedFile; visibility: Visibility },
): Promise<void> {
  const { name: filename, sizeBytes: size, start } = file;
  const contentType = pictureType({ name: filename, type: file.contentType }, start);
  const request = UploadRequestSchema.safeParse({ filename, contentType, size, visibility });
  if (!request.success) throw validationFailed({ file: [problemOf(file)] });
  const { id, key } = await presignUpload(services, { userId, ...request.data });
  await file.store(key, contentType);
  await confirmUpload(services, { id, userId });
}

/** A name that is there and is not accepted is too long, or has line breaks. */
function problemOf({ name, sizeBytes }: StagedFile): Problem {
  const isNameRefused = name !== "" && !UploadRequestSchema.shape.filename.safeParse(name).success;
  return sizeBytes > 0 && isNameRefused ? { rule: "fileName", max: FILENAME_MAX } : { rule: "fileIncomplete" };
}
