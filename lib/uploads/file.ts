import { validationFailed } from "../errors.ts";
import { FILE_INCOMPLETE } from "../schemas/rules.ts";
import { type StagedFile, UploadRequestSchema } from "../schemas/upload.ts";
import type { ObjectStore, Services } from "../services.ts";
import { presignUpload } from "./presign.ts";

/** With a bucket, the files of forms are held in memory. Direct uploads may be larger if the configuration says so. */
const FORM_FILE_MAX_BYTES = 25 * 1024 * 1024;

/** The largest file that a form without scripts may send. */
export function formFileMaxBytes({ config }: Pick<Services, "config">): number {
  return Math.min(config.uploadMaxBytes, FORM_FILE_MAX_BYTES);
}

/** Receives files. Disposing of it discards the files that have not been stored. */
export interface Staging extends Pick<ObjectStore, "stage">, AsyncDisposable {}

/** Opens a staging area for one request. */
export function openStaging({ objects }: Services): Staging {
  const staged = new AsyncDisposableStack();
  return {
    stage: async (content) => staged.use(await objects.stage(content)),
    [Symbol.asyncDispose]: () => staged.disposeAsync(),
  };
}

/**
 * Stores a file that a form without scripts has sent, under the rules and the kind of key of a direct upload.
 *
 * @returns its key.
 * @throws {AppError} VALIDATION_FAILED, FILE_TYPE_NOT_ALLOWED, PAYLOAD_TOO_LARGE.
 */
export async function storeFile(
  services: Services,
  { userId, file }: { userId: string; file: StagedFile },
): Promise<string> {
  const { name: filename, contentType, sizeBytes: size } = file;
  const request = UploadRequestSchema.safeParse({ filename, contentType, size });
  if (!request.success) throw validationFailed({ file: [FILE_INCOMPLETE] });
  const { key } = await presignUpload(services, { userId, ...request.data });
  await file.store(key, contentType);
  return key;
}

/** Returns the name and address of a file by its key, or null if it is not an upload of this user. */
export function storedFile(
  { objects }: Services,
  { userId, key }: { userId: string; key: string | null },
): { name: string; url: string } | null {
  const folder = `uploads/${userId}/`;
  const name = key?.startsWith(folder) ? /^[0-9a-f-]{36}-([\w.-]+)$/.exec(key.slice(folder.length))?.[1] : undefined;
  return name === undefined ? null : { name, url: objects.publicUrl(key!) };
}
