import { createHash } from "node:crypto";
import type { ByteRange, OpenObject } from "../services.ts";

/** The file ends with this many bytes of JSON, padded with spaces. They come last because they contain the hash. */
const TRAILER_BYTES = 512;
const CHUNK_BYTES = 64 * 1024;

interface Trailer {
  contentType: string;
  /** The hash of the content, in hexadecimal. */
  sha256: string;
}

/**
 * Writes the content of an object into a new file.
 *
 * @param beforeWrite called before each write with the number of bytes. An error that it throws ends the writing.
 */
export async function writeContent(
  file: Deno.FsFile,
  content: AsyncIterable<Uint8Array<ArrayBuffer>> | Iterable<Uint8Array<ArrayBuffer>>,
  beforeWrite: (bytes: number) => Promise<void>,
): Promise<{ sizeBytes: number; sha256: string }> {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  for await (const chunk of content) {
    await beforeWrite(chunk.length);
    hash.update(chunk);
    await writeAll(file, chunk);
    sizeBytes += chunk.length;
  }
  return { sizeBytes, sha256: hash.digest("hex") };
}

/**
 * Completes a file of {@linkcode writeContent} with the trailer and flushes it to the disk. Content and trailer are in
 * one file because no file system renames two files at once.
 */
export async function finishObjectFile(file: Deno.FsFile, trailer: Trailer): Promise<void> {
  await writeAll(file, encodeTrailer(trailer));
  await file.sync();
}

/** Opens a file that {@linkcode finishObjectFile} completed. */
export async function openObjectFile(path: string): Promise<OpenObject> {
  const file = await Deno.open(path);
  try {
    const sizeBytes = (await file.stat()).size - TRAILER_BYTES;
    const trailer = await readAt(file, { start: sizeBytes, end: sizeBytes + TRAILER_BYTES - 1 });
    const { contentType, sha256 } = parseTrailer(trailer);
    return { contentType, sizeBytes, etag: `"${sha256}"`, ...readerOf(file, sizeBytes) };
  } catch (cause) {
    file.close();
    throw new Error(`Opening a stored object: the file is not complete: ${path}`, { cause });
  }
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

async function* chunksOf(file: Deno.FsFile, { start, end }: ByteRange): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let at = start; at <= end; at += CHUNK_BYTES) {
    yield await readAt(file, { start: at, end: Math.min(at + CHUNK_BYTES - 1, end) });
  }
}

/** Reads exactly this range, which must be within the file. */
async function readAt(file: Deno.FsFile, { start, end }: ByteRange): Promise<Uint8Array<ArrayBuffer>> {
  await file.seek(start, Deno.SeekMode.Start);
  const bytes = new Uint8Array(end - start + 1);
  for (let filled = 0; filled < bytes.length;) {
    const count = await file.read(bytes.subarray(filled));
    if (count === null) throw new Error(`Reading a stored object: the file ends before byte ${end}`);
    filled += count;
  }
  return bytes;
}

async function writeAll(file: Deno.FsFile, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  for (let written = 0; written < bytes.length;) written += await file.write(bytes.subarray(written));
}

function encodeTrailer(trailer: Trailer): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(JSON.stringify(trailer).padEnd(TRAILER_BYTES));
  if (bytes.length === TRAILER_BYTES) return bytes;
  throw new Error(`Cannot store an object: the content type is too long: ${trailer.contentType}`);
}

function parseTrailer(bytes: Uint8Array<ArrayBuffer>): Trailer {
  const { contentType, sha256 } = JSON.parse(new TextDecoder().decode(bytes));
  if (typeof contentType === "string" && typeof sha256 === "string") return { contentType, sha256 };
  throw new Error("Reading a stored object: the trailer has no content type or hash");
}
