import { AppError } from "../errors.ts";
import { SECOND_MS } from "../duration.ts";

/** The longest time that a JSON or form body may take, and the head start of an upload. */
export const BODY_DEADLINE_MS = 30 * SECOND_MS;
/**
 * An upload slower than this, after its head start, is cut off. It goes on to the store as it comes and takes no memory,
 * and each of several that share the line of a slow phone is that slow.
 */
export const UPLOAD_MIN_BYTES_PER_SECOND = 4 * 1024;

/** Of a body that does not tell its size. */
const FIRST_BUFFER_BYTES = 16 * 1024;

export interface BodyLimits {
  maxBytes: number;
  /** By default `BODY_DEADLINE_MS`. */
  deadlineMs?: number;
  /** Moves the deadline on with every byte that has arrived; by default nothing does. */
  minBytesPerSecond?: number;
}

/**
 * The whole body of a request, in one buffer of the declared size, which grows if need be: what is kept of a body that
 * comes in a great many small chunks is its bytes, not the chunks. A size that is only declared takes no memory yet: the
 * system gives pages as they are written.
 *
 * @throws {AppError} as {@linkcode streamBytes} does.
 */
export async function readBytes(req: Request, limits: BodyLimits): Promise<Uint8Array<ArrayBuffer>> {
  const declaredBytes = Number(req.headers.get("content-length")) || FIRST_BUFFER_BYTES;
  let buffer = new Uint8Array(Math.min(declaredBytes, limits.maxBytes));
  let sizeBytes = 0;
  for await (const chunk of streamBytes(req, limits)) {
    if (sizeBytes + chunk.length > buffer.length) {
      const grown = new Uint8Array(Math.min(Math.max(2 * buffer.length, sizeBytes + chunk.length), limits.maxBytes));
      grown.set(buffer.subarray(0, sizeBytes));
      buffer = grown;
    }
    buffer.set(chunk, sizeBytes);
    sizeBytes += chunk.length;
  }
  return buffer.subarray(0, sizeBytes);
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
  const { maxBytes } = limits;
  if (Number(req.headers.get("content-length")) > maxBytes) throw payloadTooLarge(maxBytes);
  if (req.body === null) return;
  const reader = req.body.getReader();
  const deadline = startDeadline(limits, () => void reader.cancel().catch(() => {}));
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (deadline.isOver) throw tookTooLong();
      if (done) return;
      deadline.sizeBytes += value.length;
      if (deadline.sizeBytes > maxBytes) throw payloadTooLarge(maxBytes);
      yield value;
    }
  } catch (error) {
    throw error instanceof AppError ? error : cutShort(error);
  } finally {
    deadline.stop();
    void reader.cancel().catch(() => {}); // the sender may be gone: nobody is left to tell
  }
}

/** One timer for a whole body: when it rings, it asks whether the bytes that came meanwhile have earned more time. */
function startDeadline(
  { deadlineMs = BODY_DEADLINE_MS, minBytesPerSecond = Infinity }: BodyLimits,
  onOver: () => void,
) {
  const startedAt = performance.now();
  const deadline = { sizeBytes: 0, isOver: false, stop: () => clearTimeout(timer) };
  const ring = () => {
    const leftMs = startedAt + deadlineMs + SECOND_MS * deadline.sizeBytes / minBytesPerSecond - performance.now();
    if (leftMs > 0) {
      timer = setTimeout(ring, leftMs);
    } else {
      deadline.isOver = true;
      onOver();
    }
  };
  let timer = setTimeout(ring, deadlineMs);
  return deadline;
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
