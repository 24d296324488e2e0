import type { ImagePurpose } from "./upload.ts";

/**
 * The widths in which an image is stored besides its full size, in ascending order. A copy that would not be narrower than
 * the image is left out.
 */
export const VARIANT_WIDTHS: Record<ImagePurpose, number[]> = { avatar: [128, 512], post: [640, 1280] };

/**
 * The address of an image with copies in all widths: its UUID has version 7. Other images have version 4: those of older
 * releases, and those that are too narrow. So pages know from the address alone whether there are copies, without asking
 * the database or the bucket.
 */
const WITH_VARIANTS = /\/images\/(avatar|post)\/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\.webp$/;

/** Returns the key or URL of a smaller copy of an image: `a.webp` becomes `a-128.webp`. */
export function variantOf(keyOrUrl: string, width: number): string {
  return keyOrUrl.replace(/\.webp$/, `-${width}.webp`);
}

/** Returns the `srcset` of a stored image, or undefined if it has no copies. */
export function imageSrcset(url: string): string | undefined {
  const purpose = WITH_VARIANTS.exec(url)?.[1] as ImagePurpose | undefined;
  return purpose && VARIANT_WIDTHS[purpose].map((width) => `${variantOf(url, width)} ${width}w`).join(", ");
}
