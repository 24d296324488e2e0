/** What a slow sender fills anyway. */
const MIN_BUFFER_BYTES = 64 * 1024;
const MAX_BUFFER_BYTES = 512 * 1024;
/** Enough for four uploads at a time in each isolate. */
const MAX_SPARE = 8;

const NONE = new ArrayBuffer();
/** Buffers of the largest size that no body uses. */
const spare: ArrayBuffer[] = [];

/** Reads a body chunk by chunk. */
export interface ChunkReader {
  /**
   * Returns the next chunk, or null after the last one, which may be empty. A chunk is valid until the second call after
   * the one that returned it, even if that call returns null.
   */
  read(): Promise<Uint8Array<ArrayBuffer> | null>;
  cancel(): Promise<void>;
}

/**
 * Reads a body into two buffers in turns, so that one chunk can be written while the next one is read. They double while
 * the sender fills them, because the cost of a chunk hardly depends on its size: with buffers of 64 kB, an upload takes half
 * as much time again. A slow sender gets small buffers.
 *
 * The largest ones are lent to one body after another. New ones would cost more than the copying: the system clears every
 * page of them, and enough of them make V8 collect garbage for some 5 ms per photo.
 */
export function readChunks(body: ReadableStream<Uint8Array<ArrayBuffer>>): ChunkReader {
  const reader = byteReader(body);
  if (reader === null) return readWholeChunks(body);
  let bufferBytes = MIN_BUFFER_BYTES;
  let [earlier, latest] = [NONE, NONE];
  let isAtEnd = false;

  function takeBuffer(): ArrayBuffer {
    const buffer = earlier;
    earlier = NONE;
    if (buffer.byteLength === bufferBytes) return buffer;
    keep(buffer);
    return bufferBytes === MAX_BUFFER_BYTES && spare.pop() || new ArrayBuffer(bufferBytes);
  }

  return {
    async read() {
      if (isAtEnd) {
        [earlier, latest].forEach(keep);
        [earlier, latest] = [NONE, NONE];
        return null;
      }
      const { done, value } = await reader.read(new Uint8Array(takeBuffer()));
      if (value === undefined) return null; // canceled: the chunks may still be in use
      isAtEnd = done;
      [earlier, latest] = [latest, value.buffer];
      bufferBytes = nextBufferBytes(value.length, bufferBytes);
      return value;
    },
    cancel: () => reader.cancel(),
  };
}

/** Keeps a buffer for other bodies if it has the largest size and is not one too many. */
function keep(buffer: ArrayBuffer): void {
  if (buffer.byteLength === MAX_BUFFER_BYTES && spare.length < MAX_SPARE) spare.push(buffer);
}

/** JSON and forms without files have at most 64 KiB, so they never get a buffer that is lent. */
function nextBufferBytes(readBytes: number, bufferBytes: number): number {
  if (readBytes === bufferBytes) {
    return bufferBytes > MIN_BUFFER_BYTES && spare.length > 0
      ? MAX_BUFFER_BYTES
      : Math.min(2 * bufferBytes, MAX_BUFFER_BYTES);
  }
  return readBytes < bufferBytes / 4 ? MIN_BUFFER_BYTES : bufferBytes;
}

/** Returns null for a stream that brings its own buffers, which those of `Deno.serve` do not. */
function byteReader(body: ReadableStream<Uint8Array<ArrayBuffer>>): ReadableStreamBYOBReader | null {
  try {
    return body.getReader({ mode: "byob" });
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

function readWholeChunks(body: ReadableStream<Uint8Array<ArrayBuffer>>): ChunkReader {
  const reader = body.getReader();
  return { read: async () => (await reader.read()).value ?? null, cancel: () => reader.cancel() };
}
