/** The conditions that an uploaded image must meet, for the server and for forms in the browser. */

/** Source: docs/rules.md, Image uploads. */
export const IMAGE_MAX_BYTES = 5 * 1024 * 1024;

/** Source: docs/rules.md, Image uploads. */
export const IMAGE_CONTENT_TYPES: readonly string[] = ["image/jpeg", "image/png", "image/webp", "image/gif"];

/** The part of an image that stays when it becomes a square: the top or the left, the center, the bottom or the right. */
export const IMAGE_CROPS = ["start", "center", "end"] as const;
/** The part that pages keep unless the person chooses another one. */
export const DEFAULT_CROP: typeof IMAGE_CROPS[number] = "center";

/** Returns the code of the error that an image of this size and declared type gets, or null. */
export function checkImage(
  { size, type }: { size: number; type: string },
): "PAYLOAD_TOO_LARGE" | "FILE_TYPE_NOT_ALLOWED" | null {
  if (size > IMAGE_MAX_BYTES) return "PAYLOAD_TOO_LARGE";
  return IMAGE_CONTENT_TYPES.includes(type) ? null : "FILE_TYPE_NOT_ALLOWED";
}
