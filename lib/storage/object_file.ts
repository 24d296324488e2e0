import { createHash } from "node:crypto";
import { joinBytes } from "../bytes/bytes.ts";
import { writeChunks } from "../bytes/chunks.ts";
import type { ByteRange, OpenObject } from "../services/object_store.ts";
import { orNull } from "./folders.ts";
import { findVersion, readVersions, wholeSeconds } from "./object_metadata.ts";
import { findFile } from "./object_path.ts";
import { writeAll } from "./temporary_file.ts";

/** A slow client holds two or three chunks in memory. */
const CHUNK_BYTES = 128 * 1024;
/** The type of a file without metadata. Browsers download it. */
const UNKNOWN_TYPE = "application/octet-stream";

/** The content of an object, in chunks. */
export type Content = Iterable<Uint8Array<ArrayBuffer>> | AsyncIterable<Uint8Array<ArrayBuffer>>;

/** An object of the disk store, opened for reading. */
export interface OpenFile extends OpenObject {
  /** Identifies the file on its disk: another version of the object is another file. */
  inode: number | null;
  /** The hash of the content, if it is known. */
  sha256?: string;
  /** Whether the file ends with its metadata, as files of version 0.1.0 do. */
  hasTrailer: boolean;
}

/**
 * Writes the content of an object into a new file.
 *
 * @param beforeWrite called before each write with the number of bytes. An error that it throws ends the writing.
 */
export async function writeContent(
  file: Deno.FsFile,
  content: Content,
  beforeWrite: (bytes: number) => Promise<void>,
): Promise<{ sizeBytes: number; sha256: string }> {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  await writeChunks(content, async (chunk) => {
    await beforeWrite(chunk.length);
    await writeAll(file, chunk);
  }, (chunk) => {
    hash.update(chunk);
    sizeBytes += chunk.length;
  });
  return { sizeBytes, sha256: hash.digest("hex") };
}

/** Opens an object, or returns null if it does not exist. Content and metadata belong to the same version. */
export async function openObjectFile(root: string, key: string): Promise<OpenFile | null> {
  while (true) {
    const path = await findFile(root, key);
    const file = path && await orNull(Deno.open(path));
    if (!file) return null;
    try {
      const info = await file.stat();
      const metadata = await metadataOf(file, info, { root, key });
      // Otherwise the file was replaced while its metadata was read, which may be that of its successors.
      if ((await orNull(Deno.lstat(path)))?.ino === info.ino) {
        return { ...metadata, inode: info.ino, modifiedAt: info.mtime!, ...readerOf(file, metadata.sizeBytes) };
      }
    } catch (error) {
      file.close();
      throw error;
    }
    file.close();
  }
}

/**
 * Returns what is known of a file: from its metadata, or from its trailer. A file that someone copied into the store
 * keeps the content type of the object that it replaces, if any. Its entity tag consists of its size and time, like
 * that of a web server.
 */
async function metadataOf(file: Deno.FsFile, info: Deno.FileInfo, { root, key }: { root: string; key: string }) {
  const { size: sizeBytes, mtime } = info;
  const versions = await readVersions(root, key.split("/"));
  const version = findVersion(versions, info);
  if (version !== undefined) return { ...describe(version), sizeBytes, hasTrailer: false };
  // A trailer is older than any metadata. In a newer file, which was copied without its time, it is someone's content.
  const trailer = versions.every(({ modifiedAt }) => modifiedAt >= wholeSeconds(mtime!))
    ? await readTrailer(file, sizeBytes)
    : null;
  if (trailer !== null) return { ...describe(trailer), sizeBytes: sizeBytes - TRAILER_BYTES, hasTrailer: true };
  const etag = `"${sizeBytes.toString(16)}-${mtime!.getTime().toString(16)}"`;
  return { contentType: versions[0]?.contentType ?? UNKNOWN_TYPE, etag, sizeBytes, hasTrailer: false };
}

function describe({ contentType, sha256 }: { contentType: string; sha256: string }) {
  return { contentType, sha256, etag: entityTagOf(sha256) };
}

/** Returns the entity tag of content with this hash. */
export function entityTagOf(sha256: string): string {
  return `"${sha256}"`;
}

async function readTrailer(file: Deno.FsFile, sizeBytes: number) {
  if (sizeBytes < TRAILER_BYTES) return null;
  return parseTrailer(await joinBytes(chunksOf(file, { start: sizeBytes - TRAILER_BYTES, end: sizeBytes - 1 })));
}

function readerOf(file: Deno.FsFile, sizeBytes: number): Pick<OpenObject, "stream" | "close"> {
  let isOpen = true;
  const close = () => {
    if (isOpen) file.close();
    isOpen = false;
  };
  const stream: OpenObject["stream"] = ({ start, end } = { start: 0, end: sizeBytes - 1 }) => {
    const chunks = chunksOf(file, { start, end });
    return new ReadableStream({
      async pull(controller) {
        try {
          const { done, value } = await chunks.next();
          if (!done) return controller.enqueue(value);
          close();
          controller.close();
        } catch (error) {
          close();
          throw error;
        }
      },
      cancel: close,
    });
  };
  return { stream, close };
}

/** Reads exactly this range, which must be within the file. */
async function* chunksOf(file: Deno.FsFile, { start, end }: ByteRange): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  await file.seek(start, Deno.SeekMode.Start);
  for (let at = start; at <= end;) {
    const bytes = new Uint8Array(Math.min(CHUNK_BYTES, end - at + 1));
    const count = await file.read(bytes);
    if (count === null) throw new Error(`Reading a stored object: the file ends before byte ${end}`);
    yield bytes.subarray(0, count);
    at += count;
  }
}

/**
 * Files of version 0.1.0 ended with their metadata: this many bytes of JSON, padded with spaces.
 */
const TRAILER_BYTES = 512;

interface Trailer {
  contentType: string;
  /** The hash of the content, in hexadecimal. */
  sha256: string;
}

/** The types that version 0.1.0 accepted. Anything else could not be sent in a header. */
const CONTENT_TYPE = /^[\w!#$&^.+*-]{1,127}\/[\w!#$&^.+*-]{1,127}$/;

/** Returns the metadata that the last bytes of a file are, or null if they are something else. */
export function parseTrailer(bytes: Uint8Array<ArrayBuffer>): Trailer | null {
  if (bytes.length !== TRAILER_BYTES || bytes[0] !== "{".charCodeAt(0)) return null;
  try {
    const { contentType, sha256 } = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return CONTENT_TYPE.test(contentType) && /^[0-9a-f]{64}$/.test(sha256) ? { contentType, sha256 } : null;
  } catch {
    return null;
  }
}
