import { AppError } from "../errors.ts";
import { SECOND_MS } from "../duration.ts";

/** The longest time that a JSON or form body may take, and the head start of an upload. */
export const BODY_DEADLINE_MS = 30 * SECOND_MS;
/** An upload slower than this, after its head start, is cut off: 5 MiB may take 190 s. */
export const UPLOAD_MIN_BYTES_PER_SECOND = 32 * 1024;

export interface BodyLimits {
  maxBytes: number;
  /** By default `BODY_DEADLINE_MS`. */
  deadlineMs?: number;
  /** Moves the deadline on with every byte that has arrived; by default nothing does. */
  minBytesPerSecond?: number;
}

/**
 * The whole body of a request.
 *
 * @throws {AppError} as {@linkcode streamBytes} does.
 */
export async function readBytes(req: Request, limits: BodyLimits): Promise<Uint8Array<ArrayBuffer>> {
  return concat(await Array.fromAsync(streamBytes(req, limits)));
}

/**
 * The body of a request as it arrives, none being no bytes, and never more of it than the limit.
 *
 * Nothing else in the closed list of codes says "your body came too slowly" or "not to its end" without inviting the
 * client to send the same again, so both are VALIDATION_FAILED.
 *
 * @throws {AppError} PAYLOAD_TOO_LARGE, by Content-Length before anything is read, else at the excess;
 * VALIDATION_FAILED when the body is late or its sender goes away.
 */
export async function* streamBytes(req: Request, limits: BodyLimits): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const { maxBytes, deadlineMs = BODY_DEADLINE_MS, minBytesPerSecond = Infinity } = limits;
  if (Number(req.headers.get("content-length")) > maxBytes) throw payloadTooLarge(maxBytes);
  if (req.body === null) return;
  const reader = req.body.getReader();
  const startedAt = performance.now();
  let sizeBytes = 0;
  try {
    while (true) {
      const allowedMs = deadlineMs + SECOND_MS * sizeBytes / minBytesPerSecond;
      const { done, value } = await readBefore(reader, startedAt + allowedMs);
      if (done) return;
      sizeBytes += value.length;
      if (sizeBytes > maxBytes) throw payloadTooLarge(maxBytes);
      yield value;
    }
  } catch (error) {
    throw error instanceof AppError ? error : cutShort(error);
  } finally {
    void reader.cancel().catch(() => {}); // the sender may be gone: nobody is left to tell
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;

async function readBefore(
  reader: Reader,
  deadline: number,
): Promise<ReadableStreamReadResult<Uint8Array<ArrayBuffer>>> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(tookTooLong()), deadline - performance.now());
  try {
    return await Promise.race([reader.read(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function concat(chunks: Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  if (chunks.length === 1) return chunks[0];
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

function payloadTooLarge(maxBytes: number): AppError {
  return new AppError("PAYLOAD_TOO_LARGE", `The request body is larger than ${maxBytes} bytes`);
}

function tookTooLong(): AppError {
  return new AppError("VALIDATION_FAILED", "The request body took too long to arrive");
}

function cutShort(cause: unknown): AppError {
  return new AppError("VALIDATION_FAILED", "The request body ended before it was complete", { cause });
}
