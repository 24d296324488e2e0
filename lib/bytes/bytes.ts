import { timingSafeEqual } from "node:crypto";
import type { Chunks } from "./chunks.ts";

const FIRST_BUFFER_BYTES = 16 * 1024;

/**
 * Joins chunks as they arrive, in one buffer of the expected size that grows if needed, so that many small chunks take
 * no more memory than their bytes. A large buffer takes no memory until it is written to, because the system provides
 * pages on demand.
 *
 * @param limits.maxBytes the caller must not pass more bytes than this.
 */
export async function joinBytes(
  chunks: Chunks,
  { expectedBytes = FIRST_BUFFER_BYTES, maxBytes = Infinity }: { expectedBytes?: number; maxBytes?: number } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  let buffer = new Uint8Array(Math.min(expectedBytes, maxBytes));
  let sizeBytes = 0;
  for await (const chunk of chunks) {
    const neededBytes = sizeBytes + chunk.length;
    if (neededBytes > buffer.length) {
      const grownBytes = Math.min(Math.max(2 * buffer.length, neededBytes), maxBytes);
      buffer = new Uint8Array(buffer.buffer.transfer(grownBytes)); // frees the old memory at once
    }
    buffer.set(chunk, sizeBytes);
    sizeBytes = neededBytes;
  }
  return buffer.subarray(0, sizeBytes);
}

/** Reads the start of a body, and cancels the rest. */
export async function firstBytes(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(maxBytes);
  let sizeBytes = 0;
  for await (const chunk of body ?? []) {
    const part = chunk.subarray(0, maxBytes - sizeBytes);
    bytes.set(part, sizeBytes);
    sizeBytes += part.length;
    if (sizeBytes === maxBytes) break;
  }
  return bytes.subarray(0, sizeBytes);
}

/**
 * Frees the memory of large bytes at once, because the garbage collector may take seconds. The bytes become empty, so
 * only their owner may call it.
 */
export function release({ buffer }: ArrayBufferView<ArrayBuffer>): void {
  buffer.transfer(0);
}

/** Whether two secret texts are the same. The time that it takes depends only on their lengths. */
export function isSameSecret(a: string, b: string): boolean {
  const [bytesOfA, bytesOfB] = [a, b].map((text) => new TextEncoder().encode(text));
  return bytesOfA.length === bytesOfB.length && timingSafeEqual(bytesOfA, bytesOfB);
}
