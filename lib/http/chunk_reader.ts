/** What a slow sender fills anyway. */
const MIN_BUFFER_BYTES = 64 * 1024;
const MAX_BUFFER_BYTES = 512 * 1024;

/** Reads a body chunk by chunk. */
export interface ChunkReader {
  /** Returns the next chunk, or null after the last one. */
  read(): Promise<Uint8Array<ArrayBuffer> | null>;
  cancel(): Promise<void>;
}

/**
 * Reads a body, each chunk into a buffer of its own. Buffers double while the sender fills them, because the cost of a
 * chunk hardly depends on its size: buffers of 64 kB make an upload take 1.5 times as long. A slow sender gets small
 * buffers.
 */
export function readChunks(body: ReadableStream<Uint8Array<ArrayBuffer>>): ChunkReader {
  const reader = byteReader(body);
  if (reader === null) return readWholeChunks(body);
  let bufferBytes = MIN_BUFFER_BYTES;
  return {
    async read() {
      const { done, value } = await reader.read(new Uint8Array(bufferBytes));
      if (done) return null;
      if (value.length === bufferBytes) bufferBytes = Math.min(2 * bufferBytes, MAX_BUFFER_BYTES);
      else if (value.length < bufferBytes / 4) bufferBytes = MIN_BUFFER_BYTES;
      return value;
    },
    cancel: () => reader.cancel(),
  };
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
