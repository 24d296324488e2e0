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
 * @param after what must succeed before the first one can be read.
 * @returns the copies, and the entity tag of the image itself.
 */
export async function storeImage(
  { objects }: Services,
  key: string,
  image: ConvertedImage,
  after: Promise<unknown>,
): Promise<{ variants: ImageVariant[]; etag: string }> {
  const copies = image.variants.map((copy) => ({ ...copy, key: variantOf(key, copy.width) }));
  const files = [...copies, { ...image, key }].map(({ key, bytes }) => ({ key, bytes, contentType: "image/webp" }));
  const etags = await objects.putAll(files, after);
  const variants = copies.map(({ key, bytes: { length: sizeBytes }, width, height }) => {
    return { url: objects.publicUrl(key), width, height, sizeBytes };
  });
  return { variants, etag: etags.at(-1)! };
}
