/** The conditions that an uploaded image must meet, for the server and for forms in the browser. */

/** Source: spec, Limits. */
export const IMAGE_MAX_BYTES = 5 * 1024 * 1024;

/** Source: spec, Upload rule 2. */
export const IMAGE_CONTENT_TYPES: readonly string[] = ["image/jpeg", "image/png", "image/webp", "image/gif"];

/** The API messages. Pages use the catalogue, by the keys that {@linkcode checkImage} returns. */
export const IMAGE_TOO_LARGE = `The image is larger than ${IMAGE_MAX_BYTES / 1024 / 1024} MB`;
export const IMAGE_TYPE_NOT_ALLOWED = "Only JPEG, PNG, WebP and GIF images are allowed";

/** Returns the key of the text in `words.photo` that says why an image would be refused, or null. */
export function checkImage({ size, type }: { size: number; type: string }): "tooLarge" | "wrongType" | null {
  if (size > IMAGE_MAX_BYTES) return "tooLarge";
  return IMAGE_CONTENT_TYPES.includes(type) ? null : "wrongType";
}

/** For the one caller that does not use the catalogue yet. */
export function imageProblem(image: { size: number; type: string }): string | null {
  const key = checkImage(image);
  return key && { tooLarge: IMAGE_TOO_LARGE, wrongType: IMAGE_TYPE_NOT_ALLOWED }[key];
}
