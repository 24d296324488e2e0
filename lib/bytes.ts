const FIRST_BUFFER_BYTES = 16 * 1024;

/**
 * Joins chunks in one buffer of the expected size, which grows if needed. So very many small chunks take the memory of
 * their bytes, not of the chunks. A large buffer takes no memory before it is written to: the system provides pages on
 * demand.
 *
 * @param limits.maxBytes the chunks must not exceed it.
 */
export async function joinBytes(
  chunks: AsyncIterable<Uint8Array<ArrayBuffer>>,
  { expectedBytes = FIRST_BUFFER_BYTES, maxBytes = Infinity }: { expectedBytes?: number; maxBytes?: number } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  let buffer = new Uint8Array(Math.min(expectedBytes, maxBytes));
  let sizeBytes = 0;
  for await (const chunk of chunks) {
    const neededBytes = sizeBytes + chunk.length;
    if (neededBytes > buffer.length) {
      const grownBytes = Math.min(Math.max(2 * buffer.length, neededBytes), maxBytes);
      buffer = new Uint8Array(buffer.buffer.transfer(grownBytes)); // gives the old memory back at once
    }
    buffer.set(chunk, sizeBytes);
    sizeBytes = neededBytes;
  }
  return buffer.subarray(0, sizeBytes);
}

/** Gives the memory behind bytes back at once, and the bytes are gone. For what is large: the collector is in no hurry. */
export function release({ buffer }: ArrayBufferView<ArrayBuffer>): void {
  buffer.transfer(0);
}
