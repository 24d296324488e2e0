import { join } from "node:path";
import { orNull } from "./folders.ts";

const KEY_MAX_LENGTH = 1024;
/** Contains nothing that a file system or a URL treats specially. 255 bytes is the longest name in a folder. */
const SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,254}$/;

/**
 * Whether a file or folder of this name can be part of a key. The store's own folders start with a dot, so they cannot.
 */
export function isSegment(name: string): boolean {
  return SEGMENT.test(name);
}

/**
 * Returns the segments of a key.
 *
 * @throws {Error} if the key is malformed.
 */
export function requireSegments(key: string): string[] {
  const segments = parseKey(key);
  if (segments === null) throw new Error(`Cannot store an object: the key is malformed: ${JSON.stringify(key)}`);
  return segments;
}

/** Returns the path of the object, or null. Symbolic links are not followed. */
export async function findFile(root: string, key: string): Promise<string | null> {
  const segments = parseKey(key);
  if (segments === null) return null;
  const path = join(root, ...segments);
  if (await orNull(Deno.realPath(path)) !== path) return null;
  return (await orNull(Deno.lstat(path)))?.isFile ? path : null;
}

function parseKey(key: string): string[] | null {
  const segments = key.split("/");
  return key.length <= KEY_MAX_LENGTH && segments.every(isSegment) ? segments : null;
}
