import { AppError } from "../errors.ts";
import type { UploadRequest } from "../schemas/upload.ts";
import type { Services } from "../services.ts";
import { uploadKey } from "./object_key.ts";

/** Source: spec, Limits. */
export const PRESIGN_EXPIRES_SECONDS = 300;

/**
 * What a browser could run on the origin that serves it, by any word of the subtype: HTML, XML and all that is built
 * on it, scripts under their older names too, and the containers of other types.
 */
const SCRIPT_CAPABLE =
  /^multipart\/|[/.+-](x?html?|xml|xslt?|svg|hta|x-component|(java|ecma|j|live|vb)script[\d.]*)([.+-]|$)/i;

/**
 * Types whose content browsers sniff, or guess from the name of the file, and so may take for HTML where nosniff is
 * absent. Sources: WHATWG MIME Sniffing, 7; Firefox, nsMimeTypes.h.
 */
const SNIFFED =
  /^((unknown|application)\/unknown|application\/x-unknown-content-type|application\/(x-)?vnd\.mozilla\..*|.*\*.*)$/i;

/** A URL that admits one upload, and what is to be known of it. */
export interface PresignedUpload {
  presignedUrl: string;
  publicUrl: string;
  key: string;
  expiresInSeconds: number;
}

/**
 * Lets a user upload one file straight to the store. The largest size accepted is the configuration's, and too large is
 * 413, as for images.
 *
 * @throws {AppError} FILE_TYPE_NOT_ALLOWED, PAYLOAD_TOO_LARGE. Source: spec, Upload rule 1.
 */
export async function presignUpload(
  { objects, config }: Services,
  { userId, filename, contentType, size: sizeBytes }: UploadRequest & { userId: string },
): Promise<PresignedUpload> {
  if (SCRIPT_CAPABLE.test(contentType) || SNIFFED.test(contentType)) {
    throw new AppError("FILE_TYPE_NOT_ALLOWED", `Files of the type ${contentType} are not allowed`);
  }
  if (sizeBytes !== undefined && sizeBytes > config.uploadMaxBytes) {
    throw new AppError("PAYLOAD_TOO_LARGE", `The file is larger than ${config.uploadMaxBytes} bytes`);
  }
  const key = uploadKey(userId, filename);
  const presignedUrl = await objects.presignPut({ key, contentType, sizeBytes }, PRESIGN_EXPIRES_SECONDS);
  return { presignedUrl, publicUrl: objects.publicUrl(key), key, expiresInSeconds: PRESIGN_EXPIRES_SECONDS };
}

/** What the API tells of it; clients know the URL by either of two names. Source: spec, Upload rule 1. */
export function presignedUploadView({ presignedUrl, publicUrl, key, expiresInSeconds }: PresignedUpload) {
  return { success: true, presignedUrl, uploadUrl: presignedUrl, publicUrl, key, expiresIn: expiresInSeconds };
}
