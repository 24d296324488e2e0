import { AppError } from "../errors.ts";
import type { UploadRequest } from "../schemas/upload.ts";
import type { Services } from "../services.ts";
import { uploadKey } from "./object_key.ts";

/** Source: spec, Limits. */
const PRESIGN_EXPIRES_SECONDS = 300;

/**
 * Types whose content a browser could run on the origin that serves the file: HTML, XML and formats based on it, scripts
 * under any of their names, and multipart containers. Matches each word of the subtype.
 */
const SCRIPT_CAPABLE =
  /^multipart\/|[/.+-](x?html?|xml|xslt?|svg|hta|x-component|(java|ecma|j|live|vb)script[\d.]*)([.+-]|$)/i;

/**
 * Types for which browsers inspect the content or the file name, so that they may treat the file as HTML if a store does
 * not send `nosniff`. Sources: WHATWG MIME Sniffing, 7; Firefox, nsMimeTypes.h.
 */
const SNIFFED =
  /^((unknown|application)\/unknown|application\/x-unknown-content-type|application\/(x-)?vnd\.mozilla\..*|.*\*.*)$/i;

/** A URL that permits one upload, and the address of the file afterwards. */
export interface PresignedUpload {
  presignedUrl: string;
  publicUrl: string;
  key: string;
  expiresInSeconds: number;
}

/**
 * Permits a user to upload one file directly to the store. A larger file than UPLOAD_MAX_BYTES is refused with 413, as
 * for images.
 *
 * @throws {AppError} FILE_TYPE_NOT_ALLOWED, PAYLOAD_TOO_LARGE. Source: spec, Upload rule 1.
 */
export async function presignUpload(
  { objects, config }: Services,
  { userId, filename, contentType, size: sizeBytes }: UploadRequest & { userId: string },
): Promise<PresignedUpload> {
  if (SCRIPT_CAPABLE.test(contentType) || SNIFFED.test(contentType)) {
    throw new AppError("FILE_TYPE_NOT_ALLOWED", `Files of type ${contentType} are not allowed`);
  }
  if (sizeBytes !== undefined && sizeBytes > config.uploadMaxBytes) {
    throw new AppError("PAYLOAD_TOO_LARGE", `The file is larger than ${config.uploadMaxBytes} bytes`);
  }
  const key = uploadKey(userId, filename);
  const presignedUrl = await objects.presignPut({ key, contentType, sizeBytes }, PRESIGN_EXPIRES_SECONDS);
  return { presignedUrl, publicUrl: objects.publicUrl(key), key, expiresInSeconds: PRESIGN_EXPIRES_SECONDS };
}

/**
 * The API's view of a presigned upload. The URL has two names, because clients use either. Source: spec, Upload rule 1.
 */
export function presignedUploadView({ presignedUrl, publicUrl, key, expiresInSeconds }: PresignedUpload) {
  return { success: true, presignedUrl, uploadUrl: presignedUrl, publicUrl, key, expiresIn: expiresInSeconds };
}
