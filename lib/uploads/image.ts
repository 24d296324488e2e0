import type { AtCommit } from "../../db/at_commit.ts";
import { hasUploads } from "../config/uploads_setting.ts";
import type { Chunks } from "../bytes/chunks.ts";
import { isMissingReference } from "../../db/database_errors.ts";
import type { Db } from "../../db/schema.ts";
import { AppError, validationFailed } from "../errors/errors.ts";
import {
  checkImage,
  IMAGE_MAX_BYTES,
  type ImagePurpose,
  imageTypeBySignature,
  VARIANT_WIDTHS,
  variantOf,
} from "./rules.ts";
import type { ImageUpload, ImageView } from "./schema.ts";
import type { ConvertedImage, ImageContentType, ReceivedImage, Services } from "../services/services.ts";
import { recordUploadEvents } from "./events.ts";
import { imageKey, sanitizeFilename } from "./object_key.ts";
import { insertUpload } from "./quota.ts";
import { type Actor, LEASE_SECONDS } from "./upload.ts";

/** A converted and stored image; size, width and height are those of the stored file. */
export interface UploadedImage {
  id: string;
  url: string;
  key: string;
  originalName: string;
  sizeBytes: number;
  width: number;
  height: number;
  /** The smaller copies, from the smallest to the largest. */
  variants: ImageVariant[];
}

const STORED_TYPE = "image/webp";

/** Receives images. Disposing of it discards them. */
export interface ImageStaging extends Disposable {
  stage(content: Chunks): Promise<{ sizeBytes: number; image: ReceivedImage }>;
}

/** Creates a staging area for the images of one request. */
export function openImageStaging({ images }: Services): ImageStaging {
  const received = new DisposableStack();
  return {
    async stage(content) {
      const image = received.use(await images.receive(content));
      return { sizeBytes: image.sizeBytes, image };
    },
    [Symbol.dispose]: () => received.dispose(),
  };
}

/**
 * Stores an image as WebP under a new key. An image that is too large gets 413, not 400 like other invalid input.
 *
 * @throws {AppError} in this order: PAYLOAD_TOO_LARGE, FILE_TYPE_NOT_ALLOWED, FILE_SIGNATURE_MISMATCH, IMAGE_INVALID,
 * QUOTA_EXCEEDED. VALIDATION_FAILED where UPLOADS leaves only photos of people.
 * Source: docs/rules.md, Image uploads.
 */
export async function uploadImage(
  services: Services,
  { userId, type, file, crop, tokenId }: ImageUpload & { userId: string } & Actor,
  atCommit?: AtCommit<UploadedImage>,
): Promise<UploadedImage> {
  const { config, objects, images } = services;
  if (type !== "avatar" && !hasUploads(config, "files")) throw purposeIsOff();
  const contentType = requireImageType(file);
  const maxDimension = maxDimensionOf(services, type);
  const variantWidths = VARIANT_WIDTHS[type];
  const image = await images.toWebp(file.image, { contentType, maxDimension, crop, variantWidths, owner: userId });
  const key = imageKey(type, { variants: image.variants.length });
  const { width, height, bytes: { length: sizeBytes } } = image;
  const originalName = sanitizeFilename(file.name);
  const { id } = await insertUpload(services, {
    userId,
    key,
    filename: originalName,
    contentType: STORED_TYPE,
    declaredBytes: sizeBytes,
    bytes: [image, ...image.variants].reduce((sum, { bytes }) => sum + bytes.length, 0),
    purpose: type,
    expiresInSeconds: LEASE_SECONDS,
  });
  const { variants, etag } = await storeImage(services, key, image);
  const url = objects.publicUrl(key);
  const stored = { id, url, key, originalName, sizeBytes, width, height, variants };
  await recordImage(
    services,
    { id, userId, etag, filename: originalName, tokenId },
    async (trx) => await atCommit?.(trx, stored),
  );
  return stored;
}

function purposeIsOff(): AppError {
  return validationFailed({ type: [{ rule: "oneOf", values: ["avatar"] }] });
}

/** Records a stored image. Its bytes are our own, so they need no check, and their space is reserved. */
async function recordImage(
  { db, now }: Services,
  { id, userId, etag, filename, tokenId }: { id: string; userId: string; etag: string; filename: string } & Actor,
  atCommit: (trx: Db) => Promise<void>,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // First, because its reference to the user waits for a deletion of the user, and is locked before the upload as
    // everywhere. It does not wait for other requests of the user.
    await recordUploadEvents(trx, { kind: "upload.stored", userId, uploads: [{ id, filename }], tokenId }, now());
    const { numUpdatedRows } = await trx.updateTable("uploads").set({ state: "stored", etag, check_at: null })
      .where("id", "=", id).where("state", "=", "pending").executeTakeFirst();
    if (numUpdatedRows === 0n) throw imageDeleted();
    await atCommit(trx);
  }).catch((error) => {
    throw isMissingReference(error) ? imageDeleted() : error;
  });
}

function imageDeleted(): AppError {
  return new AppError("UNAVAILABLE", { reason: "deleted", retryAfterSeconds: 1 });
}

/**
 * Requires that an image is one, and of the type that it claims to be.
 *
 * @throws {AppError} PAYLOAD_TOO_LARGE, FILE_TYPE_NOT_ALLOWED, FILE_SIGNATURE_MISMATCH.
 */
export function requireImageType({ image: { sizeBytes, start }, contentType }: ImageUpload["file"]): ImageContentType {
  const code = checkImage({ size: sizeBytes, type: contentType });
  if (code === "PAYLOAD_TOO_LARGE") throw new AppError(code, { reason: "image", maxBytes: IMAGE_MAX_BYTES });
  if (code !== null) throw new AppError(code, { reason: "image" });
  const detectedType = imageTypeBySignature(start);
  if (detectedType === null || detectedType !== contentType) {
    throw new AppError("FILE_SIGNATURE_MISMATCH", { contentType });
  }
  return detectedType;
}

function maxDimensionOf({ config }: Services, purpose: ImagePurpose): number {
  return purpose === "avatar" ? config.avatarMaxDimension : config.postImageMaxDimension;
}

/** The API's view of a new image. Source: docs/rules.md, Image uploads. */
export function uploadedImageView(
  { id, url, originalName, sizeBytes, width, height, variants }: UploadedImage,
): ImageView {
  return { success: true, id, url, originalName, size: sizeBytes, width, height, variants: variants.map(variantView) };
}

function variantView({ url, width, height, sizeBytes }: ImageVariant) {
  return { url, width, height, size: sizeBytes };
}

/** A smaller copy of an image. */
interface ImageVariant {
  url: string;
  width: number;
  height: number;
  sizeBytes: number;
}

/**
 * Stores an image and its smaller copies as objects, from the smallest to the image itself, so that an image that
 * can be read has its copies. Several objects are not stored atomically: after an error, some copies may exist under
 * `objectKeys(key)`.
 *
 * @returns the copies, and the entity tag of the image itself.
 */
async function storeImage(
  { objects }: Services,
  key: string,
  image: ConvertedImage,
): Promise<{ variants: ImageVariant[]; etag: string }> {
  const copies = image.variants.map((copy) => ({ ...copy, key: variantOf(key, copy.width) }));
  const files = [...copies, { ...image, key }].map(({ key, bytes }) => ({ key, bytes, contentType: "image/webp" }));
  const etags = await objects.putAll(files);
  const variants = copies.map(({ key, bytes: { length: sizeBytes }, width, height }) => {
    return { url: objects.publicUrl(key), width, height, sizeBytes };
  });
  return { variants, etag: etags.at(-1)! };
}
