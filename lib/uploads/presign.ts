import { AppError } from "../errors.ts";
import type { UploadRequest } from "../schemas/upload.ts";
import type { Services } from "../services.ts";
import { uploadKey } from "./object_key.ts";

/** Source: spec, Limits. */
export const PRESIGN_EXPIRES_SECONDS = 300;

/**
 * Types that a browser could run on the origin that serves them: HTML, XML and formats based on it, scripts (also by
 * their older names), and containers of other types. Any word of the subtype counts.
 */
const SCRIPT_CAPABLE =
  /^multipart\/|[/.+-](x?html?|xml|xslt?|svg|hta|x-component|(java|ecma|j|live|vb)script[\d.]*)([.+-]|$)/i;

/**
 * Types for which browsers sniff the content or go by the file name. Without nosniff, they could treat such a file as
 * HTML. Sources: WHATWG MIME Sniffing, 7; Firefox, nsMimeTypes.h.
 */
const SNIFFED =
  /^((unknown|application)\/unknown|application\/x-unknown-content-type|application\/(x-)?vnd\.mozilla\..*|.*\*.*)$/i;

/** A URL to which one file can be uploaded, and where the file will be. */
export interface PresignedUpload {
  presignedUrl: string;
  publicUrl: string;
  key: string;
  expiresInSeconds: number;
}

/**
 * Lets a user upload one file straight to the object store. A file larger than UPLOAD_MAX_BYTES gets 413, like an image
 * that is too large.
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

/** The API's view of a presigned upload. Clients use either of two names for the URL. Source: spec, Upload rule 1. */
export function presignedUploadView({ presignedUrl, publicUrl, key, expiresInSeconds }: PresignedUpload) {
  return { success: true, presignedUrl, uploadUrl: presignedUrl, publicUrl, key, expiresIn: expiresInSeconds };
}
