/** The conditions that an uploaded image must meet, for the server and for forms in the browser. */

/** Source: docs/rules.md, Image uploads. */
export const IMAGE_MAX_BYTES = 5 * 1024 * 1024;

/** Source: docs/rules.md, Image uploads. */
export const IMAGE_CONTENT_TYPES: readonly string[] = ["image/jpeg", "image/png", "image/webp", "image/gif"];

/** Returns the code of the error that an image of this size and declared type gets, or null. */
export function checkImage(
  { size, type }: { size: number; type: string },
): "PAYLOAD_TOO_LARGE" | "FILE_TYPE_NOT_ALLOWED" | null {
  if (size > IMAGE_MAX_BYTES) return "PAYLOAD_TOO_LARGE";
  return IMAGE_CONTENT_TYPES.includes(type) ? null : "FILE_TYPE_NOT_ALLOWED";
}
