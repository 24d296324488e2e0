import type { ImagePurpose } from "../schemas/upload.ts";

/** Short enough for any file system and S3 store, together with the generated prefix. */
export const FILENAME_MAX_LENGTH = 100;
/** A longer "extension" is treated as part of the stem. */
const EXTENSION_MAX_LENGTH = 16;

/** Returns a unique key for a stored image. Source: spec, Upload rule 5. */
export function imageKey(purpose: ImagePurpose): string {
  return `images/${purpose}/${crypto.randomUUID()}.webp`;
}

/** Returns a unique key for a presigned upload. */
export function uploadKey(userId: string, filename: string): string {
  return `uploads/${userId}/${crypto.randomUUID()}-${sanitizeFilename(filename)}`;
}

/**
 * Replaces every character except ASCII letters, digits, dots and hyphens with an underscore. A name that is too long
 * loses the end of its stem. In a name of dots only, the dots become underscores too. Source: spec, Upload rule 5.
 */
export function sanitizeFilename(name: string): string {
  const sanitized = name.replace(/[^A-Za-z0-9.-]/gu, "_");
  if (/^\.*$/.test(sanitized)) return "_".repeat(Math.min(Math.max(sanitized.length, 1), FILENAME_MAX_LENGTH));
  if (sanitized.length <= FILENAME_MAX_LENGTH) return sanitized;
  const extension = /\.[^.]+$/.exec(sanitized)?.[0] ?? "";
  const kept = extension.length <= EXTENSION_MAX_LENGTH ? extension : "";
  return sanitized.slice(0, FILENAME_MAX_LENGTH - kept.length) + kept;
}
