import { variantOf } from "../schemas/image_variants.ts";
import type { ConvertedImage, Services } from "../services.ts";

/** A smaller copy of an image. */
export interface ImageVariant {
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
export async function storeImage(
  { objects }: Services,
  key: string,
  image: ConvertedImage,
): Promise<{ variants: ImageVariant[]; etag: string }> {
  const variants: ImageVariant[] = [];
  for (const { bytes, width, height } of image.variants) {
    const variantKey = variantOf(key, width);
    await objects.put(variantKey, bytes, "image/webp");
    variants.push({ url: objects.publicUrl(variantKey), width, height, sizeBytes: bytes.length });
  }
  return { variants, etag: await objects.put(key, image.bytes, "image/webp") };
}
