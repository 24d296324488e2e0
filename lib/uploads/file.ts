import { validationFailed } from "../errors.ts";
import { type UploadedFile, UploadRequestSchema } from "../schemas/upload.ts";
import type { Services } from "../services.ts";
import { presignUpload } from "./presign.ts";

/** What comes through us is held in memory; a direct upload may be larger where the configuration says so. */
const FORM_FILE_MAX_BYTES = 25 * 1024 * 1024;

/** The largest file that a form without scripts may send. */
export function formFileMaxBytes({ config }: Services): number {
  return Math.min(config.uploadMaxBytes, FORM_FILE_MAX_BYTES);
}

/**
 * Stores a file that a form without scripts has sent, under the rules and the kind of key of a direct upload.
 *
 * @returns its key.
 * @throws {AppError} VALIDATION_FAILED, FILE_TYPE_NOT_ALLOWED, PAYLOAD_TOO_LARGE.
 */
export async function storeFile(
  services: Services,
  { userId, file }: { userId: string; file: UploadedFile },
): Promise<string> {
  const { name: filename, contentType, bytes } = file;
  const request = UploadRequestSchema.safeParse({ filename, contentType, size: bytes.length });
  if (!request.success) throw validationFailed({ file: ["Must be a file with a name, a type and some content"] });
  const { key } = await presignUpload(services, { userId, ...request.data });
  await services.objects.put(key, bytes, contentType);
  return key;
}

/** Name and address of a file by its key; null for what is no upload of this user. */
export function storedFile(
  { objects }: Services,
  { userId, key }: { userId: string; key: string | null },
): { name: string; url: string } | null {
  const folder = `uploads/${userId}/`;
  const name = key?.startsWith(folder) ? /^[0-9a-f-]{36}-([\w.-]+)$/.exec(key.slice(folder.length))?.[1] : undefined;
  return name === undefined ? null : { name, url: objects.publicUrl(key!) };
}
