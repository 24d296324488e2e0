import type { AtCommit } from "../../db/at_commit.ts";
import { AppError } from "../errors/errors.ts";
import type { Config } from "../config/config.ts";
import type { PresignedUploadView, UploadRequest } from "./schema.ts";
import type { Services } from "../services/services.ts";
import { uploadKey, visibilityOf } from "./object_key.ts";
import { insertUpload, type NewUpload, releaseExpired } from "./quota.ts";
import type { Upload } from "./upload.ts";

/** Source: docs/rules.md, Presigned uploads. */
const PRESIGN_EXPIRES_SECONDS = 300;

/**
 * Types whose content a browser could run on the origin that serves the file: HTML, XML and formats based on it,
 * scripts under any of their names, and multipart containers. Matches each word of the subtype.
 */
const SCRIPT_CAPABLE =
  /^multipart\/|[/.+-](x?html?|xml|xslt?|svg|hta|x-component|(java|ecma|j|live|vb)script[\d.]*)([.+-]|$)/i;

/**
 * Types for which browsers inspect the content or the file name, so that they may treat the file as HTML if a store
 * does not send `nosniff`. Sources: WHATWG MIME Sniffing, 7; Firefox, nsMimeTypes.h.
 */
const SNIFFED =
  /^((unknown|application)\/unknown|application\/x-unknown-content-type|application\/(x-)?vnd\.mozilla\..*|.*\*.*)$/i;

/** A URL that permits one upload, and the address of the file afterward. */
export interface PresignedUpload {
  id: string;
  presignedUrl: string;
  publicUrl: string;
  key: string;
  expiresInSeconds: number;
}

/**
 * Permits a user to upload one file directly to the store, and reserves the space for it. A larger file than
 * UPLOAD_MAX_BYTES is refused with 413, as for images.
 *
 * @throws {AppError} FILE_TYPE_NOT_ALLOWED, PAYLOAD_TOO_LARGE, QUOTA_EXCEEDED. Source: docs/rules.md, Presigned
 * uploads.
 */
export async function presignUpload(
  services: Services,
  { userId, ...request }: UploadRequest & { userId: string },
  atCommit?: AtCommit<PresignedUpload>,
): Promise<PresignedUpload> {
  const { objects, config } = services;
  requireAcceptable(config, request);
  const { filename, contentType, size: sizeBytes, visibility } = request;
  const key = uploadKey(userId, filename, visibility);
  const presignedUrl = await objects.presignPut({ key, contentType, sizeBytes }, PRESIGN_EXPIRES_SECONDS);
  const expiresInSeconds = PRESIGN_EXPIRES_SECONDS;
  const upload = {
    userId,
    key,
    filename,
    contentType,
    declaredBytes: sizeBytes ?? null,
    bytes: sizeBytes ?? config.uploadMaxBytes,
    purpose: "file" as const,
    expiresInSeconds,
  };
  const presigned = ({ id }: Upload) => ({
    id,
    presignedUrl,
    publicUrl: objects.publicUrl(key),
    key,
    expiresInSeconds,
  });
  return presigned(await reserve(services, upload, async (trx, row) => await atCommit?.(trx, presigned(row))));
}

/**
 * Checks the declared type and size of an upload.
 *
 * @throws {AppError} FILE_TYPE_NOT_ALLOWED, PAYLOAD_TOO_LARGE.
 */
function requireAcceptable(
  { uploadMaxBytes }: Pick<Config, "uploadMaxBytes">,
  { contentType, size }: Pick<UploadRequest, "contentType" | "size">,
): void {
  if (SCRIPT_CAPABLE.test(contentType) || SNIFFED.test(contentType)) {
    throw new AppError("FILE_TYPE_NOT_ALLOWED", { reason: "type", contentType });
  }
  if (size !== undefined && size > uploadMaxBytes) {
    throw new AppError("PAYLOAD_TOO_LARGE", { reason: "file", maxBytes: uploadMaxBytes });
  }
}

/** Reserves the space of an upload. If there is not enough, it first releases the space of URLs that expired unused. */
async function reserve(services: Services, upload: NewUpload, atCommit: AtCommit<Upload>): Promise<Upload> {
  try {
    return await insertUpload(services, upload, atCommit);
  } catch (error) {
    const isFull = error instanceof AppError && error.code === "QUOTA_EXCEEDED";
    if (!isFull || !await releaseExpired(services, upload.userId)) throw error;
    return await insertUpload(services, upload, atCommit);
  }
}

/**
 * The API's view of a presigned upload. The URL has two names, because clients use either. Source: docs/rules.md,
 * Presigned uploads.
 */
export function presignedUploadView(
  { id, presignedUrl, publicUrl, key, expiresInSeconds }: PresignedUpload,
): PresignedUploadView {
  return {
    success: true,
    id,
    presignedUrl,
    uploadUrl: presignedUrl,
    publicUrl,
    key,
    visibility: visibilityOf(key),
    expiresIn: expiresInSeconds,
  };
}
