import { AppError } from "../errors/errors.ts";
import { SECOND_MS } from "../duration.ts";
import { joinBytes } from "../bytes/bytes.ts";
import { tooBusy } from "../turns/concurrency_limit.ts";
import { readChunks } from "./chunk_reader.ts";
import type { BodyShare } from "./shares.ts";

/** The longest time that a JSON or form body may take, and the time before the minimum rate of an upload applies. */
const BODY_DEADLINE_MS = 30 * SECOND_MS;
/**
 * Slower uploads are aborted. The rate is low because uploads stream to the store and take little memory, and because
 * several uploads may share a slow mobile connection.
 */
export const UPLOAD_MIN_BYTES_PER_SECOND = 4 * 1024;

/**
 * Every chunk costs some 50 microseconds of the event loop, however small it is: a file of 25 MiB, sent in chunks of
 * one byte, would take half an hour. After the first `FREE_CHUNKS`, chunks must have this size on average. Packets are
 * larger.
 */
const CHUNK_MIN_BYTES = 256;
const FREE_CHUNKS = 1_000;

const shares = new WeakMap<Request, BodyShare>();

/** Counts the body of a request as it is read. */
export function countBody(req: Request, share: BodyShare): void {
  shares.set(req, share);
}

export interface BodyLimits {
  maxBytes: number;
  /** The limit that the error names, if a part of the body has a lower one. */
  namedMaxBytes?: number;
  /** Reads up to the limit even if Content-Length exceeds it. */
  isReadToLimit?: boolean;
  /** By default `BODY_DEADLINE_MS`. */
  deadlineMs?: number;
  /** Every byte that arrives extends the deadline accordingly. By default the deadline is fixed. */
  minBytesPerSecond?: number;
}

/**
 * Reads the whole body of a request into one buffer.
 *
 * @throws {AppError} as {@linkcode streamBytes} does.
 */
export async function readBytes(req: Request, limits: BodyLimits): Promise<Uint8Array<ArrayBuffer>> {
  const expectedBytes = Number(req.headers.get("content-length")) || undefined;
  return await joinBytes(streamBytes(req, limits), { expectedBytes, maxBytes: limits.maxBytes });
}

/**
 * Yields the body of a request as it arrives, up to the limit. A missing body yields nothing.
 *
 * A late or incomplete body is VALIDATION_FAILED, because other codes would invite the client to send the same body
 * again.
 *
 * @throws {AppError} UNSUPPORTED_MEDIA_TYPE if the body is encoded; PAYLOAD_TOO_LARGE, before reading if Content-Length
 * exceeds the limit, otherwise once the body does; VALIDATION_FAILED when the body is late, its sender disconnects or
 * its chunks are too small; UNAVAILABLE when other bodies need its share of the memory or of the disk.
 */
export async function* streamBytes(req: Request, limits: BodyLimits): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const { maxBytes, namedMaxBytes = maxBytes, isReadToLimit = false } = limits;
  requireMeaningOfBytes(req.headers);
  if (!isReadToLimit && Number(req.headers.get("content-length")) > maxBytes) throw payloadTooLarge(namedMaxBytes);
  if (req.body === null) return;
  const reader = readChunks(req.body);
  const cancel = () => void reader.cancel().catch(() => {}); // fails if the sender has disconnected
  const deadline = startDeadline(limits, cancel);
  const share = shares.get(req);
  if (share) share.stopReading = cancel;
  try {
    let chunks = 0;
    while (true) {
      const chunk = await reader.read();
      if (share?.isEnded) throw tooBusy();
      if (deadline.isOver) throw bodyTooSlow();
      if (chunk === null) return;
      if (chunk.length > 0) chunks++;
      share?.receive(chunk.length);
      deadline.sizeBytes += chunk.length;
      if (deadline.sizeBytes > maxBytes) throw payloadTooLarge(namedMaxBytes);
      if (chunks > FREE_CHUNKS + deadline.sizeBytes / CHUNK_MIN_BYTES) throw chunksTooSmall();
      yield chunk;
    }
  } catch (error) {
    throw error instanceof AppError ? error : bodyIncomplete(error);
  } finally {
    if (share) share.stopReading = null;
    deadline.stop();
    cancel();
  }
}

/**
 * Refuses headers by which the bytes are not the content: encoded ones, and a part of it. Ignoring them would store
 * something else than was meant. Sources: RFC 9110, 8.4 and 14.5; RFC 9112, 6.1.
 */
function requireMeaningOfBytes(headers: Headers): void {
  const isEncoded = isOtherThan("identity", headers.get("content-encoding")) ||
    isOtherThan("chunked", headers.get("transfer-encoding"));
  if (isEncoded) throw new AppError("UNSUPPORTED_MEDIA_TYPE", { reason: "encoding" });
  if (headers.has("content-range")) throw new AppError("VALIDATION_FAILED", { reason: "range" });
}

function isOtherThan(harmless: string, value: string | null): boolean {
  return value !== null && value.trim() !== "" && value.trim().toLowerCase() !== harmless;
}

/** Uses one timer for the whole body. When it fires, the bytes received so far may have extended the deadline. */
function startDeadline(
  { deadlineMs = BODY_DEADLINE_MS, minBytesPerSecond = Infinity }: BodyLimits,
  onOver: () => void,
) {
  const startedAt = performance.now();
  const deadline = { sizeBytes: 0, isOver: false, stop: () => clearTimeout(timer) };
  const check = () => {
    const leftMs = startedAt + deadlineMs + SECOND_MS * deadline.sizeBytes / minBytesPerSecond - performance.now();
    if (leftMs > 0) {
      timer = setTimeout(check, leftMs);
    } else {
      deadline.isOver = true;
      onOver();
    }
  };
  let timer = setTimeout(check, deadlineMs);
  return deadline;
}

function payloadTooLarge(maxBytes: number): AppError {
  return new AppError("PAYLOAD_TOO_LARGE", { reason: "body", maxBytes });
}

function bodyTooSlow(): AppError {
  return new AppError("VALIDATION_FAILED", { reason: "late" });
}

function chunksTooSmall(): AppError {
  return new AppError("VALIDATION_FAILED", { reason: "chunks" });
}

function bodyIncomplete(cause: unknown): AppError {
  return new AppError("VALIDATION_FAILED", { reason: "incomplete", cause });
}
