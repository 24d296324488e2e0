import type { ImagePurpose } from "../schemas/upload.ts";

/** With the generated part before it, short enough for any file system and any S3 store. */
export const FILENAME_MAX_LENGTH = 100;
/** Of a longer "extension" nothing needs to stay. */
const EXTENSION_MAX_LENGTH = 16;

/** A key of its own for each stored image. Source: spec, Upload rule 5. */
export function imageKey(purpose: ImagePurpose): string {
  return `images/${purpose}/${crypto.randomUUID()}.webp`;
}

/** A key of its own for each presigned upload. */
export function uploadKey(userId: string, filename: string): string {
  return `uploads/${userId}/${crypto.randomUUID()}-${sanitizeFilename(filename)}`;
}

/**
 * The name with an underscore for every character but ASCII letters, digits, dots and hyphens. One that is too long
 * loses the end of its stem; of one that would name no file, the dots become underscores too. Source: spec, Upload rule 5.
 */
export function sanitizeFilename(name: string): string {
  const sanitized = name.replace(/[^A-Za-z0-9.-]/gu, "_");
  if (/^\.*$/.test(sanitized)) return "_".repeat(Math.min(Math.max(sanitized.length, 1), FILENAME_MAX_LENGTH));
  if (sanitized.length <= FILENAME_MAX_LENGTH) return sanitized;
  const extension = /\.[^.]+$/.exec(sanitized)?.[0] ?? "";
  const kept = extension.length <= EXTENSION_MAX_LENGTH ? extension : "";
  return sanitized.slice(0, FILENAME_MAX_LENGTH - kept.length) + kept;
}
