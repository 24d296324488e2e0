import { AppError } from "../errors.ts";
import { checkImage, IMAGE_MAX_BYTES } from "../schemas/image_rules.ts";
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

const REFUSAL_MESSAGES = {
  PAYLOAD_TOO_LARGE: `The image is larger than ${IMAGE_MAX_BYTES / 1024 / 1024} MB`,
  FILE_TYPE_NOT_ALLOWED: "Only JPEG, PNG, WebP and GIF images are allowed",
};

/**
 * Stores an image as WebP under a new key. An image that is too large gets 413, the more precise of the two statuses in
 * the specification.
 *
 * @throws {AppError} in this order: PAYLOAD_TOO_LARGE, FILE_TYPE_NOT_ALLOWED, FILE_SIGNATURE_MISMATCH, IMAGE_INVALID.
 * Source: spec, Upload rules 2 to 6.
 */
export async function uploadImage(services: Services, { type, file }: ImageUpload): Promise<UploadedImage> {
  const { objects, images } = services;
  const contentType = requireImageType(file);
  const image = await images.toWebp(file.bytes, { contentType, maxDimension: maxDimensionOf(services, type) });
  const key = imageKey(type);
  await objects.put(key, image.bytes, "image/webp");
  const { width, height, bytes: { length: sizeBytes } } = image;
  return { url: objects.publicUrl(key), key, originalName: sanitizeFilename(file.name), sizeBytes, width, height };
}

function requireImageType({ bytes, contentType }: ImageUpload["file"]): ImageContentType {
  const code = checkImage({ size: bytes.length, type: contentType });
  if (code !== null) throw new AppError(code, REFUSAL_MESSAGES[code]);
  const detectedType = imageTypeBySignature(bytes);
  if (detectedType === null || detectedType !== contentType) {
    throw new AppError("FILE_SIGNATURE_MISMATCH", `The file's content does not match type ${contentType}`);
  }
  return detectedType;
}

function maxDimensionOf({ config }: Services, purpose: ImagePurpose): number {
  return purpose === "avatar" ? config.avatarMaxDimension : config.postImageMaxDimension;
}

/** The API's view of a new image. Source: spec, Upload endpoints. */
export function uploadedImageView({ url, originalName, sizeBytes, width, height }: UploadedImage) {
  return { success: true, url, originalName, size: sizeBytes, width, height };
}
