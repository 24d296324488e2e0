/** Bytes that arrive in chunks. */
export type Chunks = AsyncIterable<Uint8Array<ArrayBuffer>>;

/**
 * Writes each chunk while the next one is read.
 *
 * @param write takes the bytes of a chunk. The next chunk is not written before it has resolved.
 * @param inspect sees each chunk while it is written.
 */
export async function writeChunks(
  chunks: Chunks | Iterable<Uint8Array<ArrayBuffer>>,
  write: (chunk: Uint8Array<ArrayBuffer>) => Promise<void>,
  inspect: (chunk: Uint8Array<ArrayBuffer>) => void,
): Promise<void> {
  let writing = Promise.resolve();
  try {
    for await (const chunk of chunks) {
      await writing;
      writing = write(chunk);
      writing.catch(() => {}); // thrown below
      inspect(chunk);
    }
  } finally {
    await writing;
  }
}
