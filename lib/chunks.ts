/** Bytes that arrive in chunks. */
export type Chunks = AsyncIterable<Uint8Array<ArrayBuffer>>;

/**
 * Writes chunks as they arrive: each while the next one is read. So a chunk must stay as it is until the second one after it
 * is read.
 *
 * @param write takes the bytes of a chunk. The next chunk is not written before it has resolved.
 * @param look sees each chunk while it is written.
 */
export async function writeChunks(
  chunks: Chunks | Iterable<Uint8Array<ArrayBuffer>>,
  write: (chunk: Uint8Array<ArrayBuffer>) => Promise<void>,
  look: (chunk: Uint8Array<ArrayBuffer>) => void,
): Promise<void> {
  let writing = Promise.resolve();
  try {
    for await (const chunk of chunks) {
      await writing;
      writing = write(chunk);
      writing.catch(() => {}); // thrown below
      look(chunk);
    }
  } finally {
    await writing;
  }
}
