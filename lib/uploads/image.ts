import { AppError } from "../errors.ts";
import { release } from "../bytes.ts";
import {
  IMAGE_CONTENT_TYPES,
  IMAGE_MAX_BYTES,
  IMAGE_TOO_LARGE,
  IMAGE_TYPE_NOT_ALLOWED,
} from "../schemas/image_rules.ts";
import type { ImagePurpose, ImageUpload } from "../schemas/upload.ts";
import type { ImageContentType, Services } from "../services.ts";
import { imageTypeBySignature } from "./file_signature.ts";
import { imageKey, sanitizeFilename } from "./object_key.ts";

/** A converted and stored image; size, width and height are those of the stored file. */
export interface UploadedImage {
  url: string;
  key: string;
  originalName: string;
  sizeBytes: number;
  width: number;
  height: number;
}

/**
 * Stores an image as WebP under a new key. An image that is too large gets 413, the more precise of the two statuses in
 * the specification.
 *
 * Releases the file's bytes after the conversion. If the garbage collector did that, twenty concurrent uploads would
 * hold the memory of sixty or more.
 *
 * @throws {AppError} in this order: PAYLOAD_TOO_LARGE, FILE_TYPE_NOT_ALLOWED, FILE_SIGNATURE_MISMATCH, IMAGE_INVALID.
 * Source: spec, Upload rules 2 to 6.
 */
export async function uploadImage(services: Services, { type, file }: ImageUpload): Promise<UploadedImage> {
  const { objects, images } = services;
  const contentType = requireImage(file);
  const image = await images.toWebp(file.bytes, { contentType, maxDimension: maxDimensionOf(services, type) })
    .finally(() => release(file.bytes));
  const key = imageKey(type);
  await objects.put(key, image.bytes, "image/webp");
  const { width, height, bytes: { length: sizeBytes } } = image;
  return { url: objects.publicUrl(key), key, originalName: sanitizeFilename(file.name), sizeBytes, width, height };
}

function requireImage({ bytes, contentType }: ImageUpload["file"]): ImageContentType {
  if (bytes.length > IMAGE_MAX_BYTES) {
    throw new AppError("PAYLOAD_TOO_LARGE", IMAGE_TOO_LARGE);
  }
  if (!isImageContentType(contentType)) {
    throw new AppError("FILE_TYPE_NOT_ALLOWED", IMAGE_TYPE_NOT_ALLOWED);
  }
  if (imageTypeBySignature(bytes) !== contentType) {
    throw new AppError("FILE_SIGNATURE_MISMATCH", `The file is not of the type ${contentType}`);
  }
  return contentType;
}

function isImageContentType(contentType: string): contentType is ImageContentType {
  return IMAGE_CONTENT_TYPES.includes(contentType);
}

function maxDimensionOf({ config }: Services, purpose: ImagePurpose): number {
  return purpose === "avatar" ? config.avatarMaxDimension : config.postImageMaxDimension;
}

/** The API's view of a new image. Source: spec, Upload endpoints. */
export function uploadedImageView({ url, originalName, sizeBytes, width, height }: UploadedImage) {
  return { success: true, url, originalName, size: sizeBytes, width, height };
}
