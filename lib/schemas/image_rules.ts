/** What an image that is sent must be; the server and the forms in the browser say it in the same words. */

/** Source: spec, Limits. */
export const IMAGE_MAX_BYTES = 5 * 1024 * 1024;

/** Source: spec, Upload rule 2. */
export const IMAGE_CONTENT_TYPES: readonly string[] = ["image/jpeg", "image/png", "image/webp", "image/gif"];

export const IMAGE_TOO_LARGE = `The image is larger than ${IMAGE_MAX_BYTES / 1024 / 1024} MiB`;
export const IMAGE_TYPE_NOT_ALLOWED = "Only JPEG, PNG, WebP and GIF images are allowed";

/** What can be said against an image before it is sent, or null. */
export function imageProblem({ size, type }: { size: number; type: string }): string | null {
  if (size > IMAGE_MAX_BYTES) return IMAGE_TOO_LARGE;
  return IMAGE_CONTENT_TYPES.includes(type) ? null : IMAGE_TYPE_NOT_ALLOWED;
}
