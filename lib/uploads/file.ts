import { AppError, type RefusedFile, validationFailed } from "../errors.ts";
import { type StagedFile, UploadRequestSchema, type Visibility } from "../schemas/upload.ts";
import type { ObjectStore } from "../object_store.ts";
import type { Services } from "../services.ts";
import { confirmUpload } from "./confirm.ts";
import { presignUpload } from "./presign.ts";

/**
 * The size limit of all files that a form without scripts sends together. With a bucket they are held in memory, so this
 * limit applies even if direct uploads may be larger.
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
    stage: async (content) => staged.use(await objects.stage(content)),
    [Symbol.asyncDispose]: () => staged.disposeAsync(),
  };
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
 * @throws {AppError} VALIDATION_FAILED, FILE_TYPE_NOT_ALLOWED, PAYLOAD_TOO_LARGE, QUOTA_EXCEEDED, FILE_SIGNATURE_MISMATCH.
 */
export async function storeFile(
  services: Services,
  { userId, file, visibility }: { userId: string; file: StagedFile; visibility: Visibility },
): Promise<void> {
  const { name: filename, contentType, sizeBytes: size } = file;
  const request = UploadRequestSchema.safeParse({ filename, contentType, size, visibility });
  if (!request.success) throw validationFailed({ file: [{ rule: "fileIncomplete" }] });
  const { id, key } = await presignUpload(services, { userId, ...request.data });
  await file.store(key, contentType);
  await confirmUpload(services, { id, userId });
}
