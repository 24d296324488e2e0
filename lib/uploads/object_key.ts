import { v7 } from "uuid";
import { PRIVATE_PREFIX } from "../services/object_store.ts";
import { type ImagePurpose, VARIANT_WIDTHS, variantOf } from "./rules.ts";
import type { Visibility } from "./schema.ts";

/** Short enough for any file system and S3 store, together with the generated prefix. */
export const FILENAME_MAX_LENGTH = 100;
/** A longer "extension" is treated as part of the stem. */
const EXTENSION_MAX_LENGTH = 16;

/**
 * Returns a unique key for a stored image. The version of its UUID shows how many of the widths of its purpose have a
 * copy, from the smallest on, as `imageSrcset` of rules.ts reads it. Source: docs/rules.md, Image uploads.
 */
export function imageKey(purpose: ImagePurpose, { variants }: { variants: number } = { variants: 0 }): string {
  const uuid = variants === 0 ? crypto.randomUUID() : v7();
  return `images/${purpose}/${variants === 1 ? asVersion8(uuid) : uuid}.webp`;
}

/** The version whose meaning each program chooses. Source: RFC 9562, 5.8. */
function asVersion8(uuid: string): string {
  return `${uuid.slice(0, 14)}8${uuid.slice(15)}`;
}

/**
 * Returns the keys of all objects that belong to an object: its own and, for an image, those of its smaller copies.
 * Some of them may not exist. To delete the object, delete all of these.
 */
export function objectKeys(key: string): string[] {
  const purpose = /^images\/(avatar|post)\/[0-9a-f-]{36}\.webp$/.exec(key)?.[1] as ImagePurpose | undefined;
  return [key, ...(purpose ? VARIANT_WIDTHS[purpose].map((width) => variantOf(key, width)) : [])];
}

/** Returns a unique key for a presigned upload. Its visibility is part of it, so an object cannot change that. */
export function uploadKey(userId: string, filename: string, visibility: Visibility): string {
  const prefix = visibility === "private" ? PRIVATE_PREFIX : "uploads/";
  return `${prefix}${userId}/${crypto.randomUUID()}-${sanitizeFilename(filename)}`;
}

/** Returns who may read the object: everyone who has its address, or only its owner and those who have a link. */
export function visibilityOf(key: string): Visibility {
  return key.startsWith(PRIVATE_PREFIX) ? "private" : "public";
}

/**
 * Whether a key may be the one of a private object, however it is spelled: a store may read a path in more than one
 * way. No public key looks like this.
 */
export function mayBePrivate(key: string): boolean {
  return /(^|[/\\])private([/\\]|$)/i.test(key) || key.includes("%");
}

/** What one of our keys says about its object. */
export interface KeyParts {
  purpose: "file" | ImagePurpose;
  /** For a smaller copy of an image, the key of the image; otherwise the key itself. */
  originalKey: string;
  filename: string;
  /** The user who uploaded a file; null for images. */
  userId: string | null;
}

/** Takes a key apart. Returns null if it is not one that this service creates. */
export function partsOfKey(key: string): KeyParts | null {
  const image = /^images\/(avatar|post)\/([0-9a-f-]{36})(-[0-9]+)?\.webp$/.exec(key);
  if (image !== null) {
    const purpose = image[1] as ImagePurpose;
    const filename = `${image[2]}.webp`;
    return { purpose, originalKey: `images/${purpose}/${filename}`, filename, userId: null };
  }
  const file = /^(?:uploads|private)\/([^/]+)\/[0-9a-f-]{36}-([^/]+)$/.exec(key);
  return file && { purpose: "file", originalKey: key, filename: file[2], userId: file[1] };
}

/**
 * Replaces every character except ASCII letters, digits, dots and hyphens with an underscore. A name that is too long
 * loses the end of its stem. In a name of dots only, the dots become underscores too. Source: docs/rules.md, File
 * names.
 */
export function sanitizeFilename(name: string): string {
  const sanitized = name.replace(/[^A-Za-z0-9.-]/gu, "_");
  if (/^\.*$/.test(sanitized)) return "_".repeat(Math.min(Math.max(sanitized.length, 1), FILENAME_MAX_LENGTH));
  if (sanitized.length <= FILENAME_MAX_LENGTH) return sanitized;
  const extension = /\.[^.]+$/.exec(sanitized)?.[0] ?? "";
  const kept = extension.length <= EXTENSION_MAX_LENGTH ? extension : "";
  return sanitized.slice(0, FILENAME_MAX_LENGTH - kept.length) + kept;
}
