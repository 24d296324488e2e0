import { AppError, type ImagePart } from "../errors.ts";
import type { ImageContentType } from "../services.ts";
import { nextTurn } from "./next_turn.ts";

/** A segment of a JPEG, a chunk of a PNG or WebP, or a block of a GIF. */
interface Part {
  type: string;
  content: Uint8Array;
}

interface Limit {
  name: ImagePart;
  max: number;
  /** Returns how much of the limit a part uses. */
  weigh(part: Part): number;
}

/**
 * Ordinary files are far below these limits. A file at a limit takes about a second longer than its pixels alone.
 *
 * - Scans: a progressive JPEG may legally have 2,647, and its decoder visits every pixel for each. Encoders write 10,
 *   or 18 for CMYK.
 * - Frames: libwebp's time grows with their square, even if only the first frame is decoded. 3,000 frames last 100
 *   seconds at 30 per second.
 * - Parts: ffmpeg writes PNG chunks of 4 KiB, which makes 1,280 of them in 5 MiB. Most encoders write larger ones.
 * - Compressed text: libpng decompresses it, to up to a thousand times its size.
 */
const LIMITS: Limit[] = [
  { name: "scans", max: 100, weigh: ({ type }) => type === "SOS" ? 1 : 0 },
  { name: "frames", max: 3_000, weigh: ({ type }) => type === "ANMF" ? 1 : 0 },
  { name: "parts", max: 10_000, weigh: () => 1 },
  { name: "textBytes", max: 1024 * 1024, weigh: compressedTextBytes },
];

/** The time after which the check lets the event loop turn. A file can have ten thousand parts, or one of 5 MiB. */
const MAX_TURN_MS = 1;
/** How much of a long part is read between two looks at the clock. */
const PIECE_BYTES = 32 * 1024;

/** Each returns the parts of an image, and null where a long part may be interrupted. */
const PARTS: Record<ImageContentType, (bytes: Uint8Array) => Iterable<Part | null>> = {
  "image/jpeg": jpegSegments,
  "image/png": pngChunks,
  "image/webp": webpChunks,
  "image/gif": gifBlocks,
};

/**
 * Refuses small files that would take seconds to decode. Reads each byte at most once and decodes nothing. Accepts a
 * broken structure, which the decoder refuses later. Never holds up the event loop for more than a few milliseconds.
 *
 * @throws {AppError} IMAGE_INVALID.
 */
export async function requireOrdinaryStructure(bytes: Uint8Array, contentType: ImageContentType): Promise<void> {
  const used = LIMITS.map(() => 0);
  let turnStartedAt = performance.now();
  for (const part of PARTS[contentType](bytes)) {
    if (part) requireWithinLimits(used, part);
    if (performance.now() - turnStartedAt < MAX_TURN_MS) continue;
    await nextTurn();
    turnStartedAt = performance.now();
  }
}

function requireWithinLimits(used: number[], part: Part): void {
  for (const [i, { name, max, weigh }] of LIMITS.entries()) {
    used[i] += weigh(part);
    if (used[i] > max) throw new AppError("IMAGE_INVALID", { reason: name, max });
  }
}

/** In an iTXt chunk, the byte after the keyword and its NUL indicates whether the text is compressed. */
function compressedTextBytes({ type, content }: Part): number {
  const isCompressed = type === "zTXt" || type === "iTXt" && content[content.indexOf(0) + 1] === 1;
  return isCompressed ? content.length : 0;
}

const [EOI, SOS] = [0xd9, 0xda];

function* jpegSegments(bytes: Uint8Array): Generator<Part | null> {
  const view = viewOf(bytes);
  let at = yield* findSegment(bytes, 0);
  while (at + 4 <= bytes.length && bytes[at + 1] !== EOI) {
    const end = at + 2 + view.getUint16(at + 2);
    yield { type: bytes[at + 1] === SOS ? "SOS" : "", content: bytes.subarray(at + 4, end) };
    at = yield* findSegment(bytes, end);
  }
}

/**
 * Finds the next marker that has a length, as libjpeg does. This skips image data, where a zero follows each 0xFF. The
 * content of a segment, such as a thumbnail, is never searched.
 */
function* findSegment(bytes: Uint8Array, start: number): Generator<null, number> {
  for (let at = start; at < bytes.length; at += PIECE_BYTES) {
    const found = findMarker(bytes, at, Math.min(at + PIECE_BYTES, bytes.length));
    if (found !== null) return found;
    yield null;
  }
  return bytes.length;
}

/** A call of indexOf for each 0xFF is slower: a file may consist of nothing else. */
function findMarker(bytes: Uint8Array, start: number, end: number): number | null {
  for (let at = start; at < end; at++) {
    if (bytes[at] === 0xff && hasLength(bytes[at + 1])) return at;
  }
  return null;
}

/** Stuffing, TEM, restart markers, SOI and fill bytes have no length. Source: ITU T.81, B.1.1. */
function hasLength(marker: number): boolean {
  return marker > 0x01 && !(marker >= 0xd0 && marker <= 0xd8) && marker < 0xff;
}

function* pngChunks(bytes: Uint8Array): Generator<Part> {
  const view = viewOf(bytes);
  let at = 8;
  while (at + 8 <= bytes.length) {
    const end = at + 8 + view.getUint32(at);
    const type = fourLetters(bytes, at + 4);
    yield { type, content: bytes.subarray(at + 8, end) };
    if (type === "IEND") return;
    at = end + 4; // the checksum
  }
}

function* webpChunks(bytes: Uint8Array): Generator<Part> {
  const view = viewOf(bytes);
  let at = 12;
  while (at + 8 <= bytes.length) {
    const size = view.getUint32(at + 4, true);
    yield { type: fourLetters(bytes, at), content: bytes.subarray(at + 8, at + 8 + size) };
    at += 8 + size + size % 2;
  }
}

const [EXTENSION, IMAGE] = [0x21, 0x2c];

function* gifBlocks(bytes: Uint8Array): Generator<Part | null> {
  let at = 13 + colourTableBytes(bytes[10]);
  while (bytes[at] === EXTENSION || bytes[at] === IMAGE) {
    const header = bytes[at] === EXTENSION ? 2 : 11 + colourTableBytes(bytes[at + 9]);
    const end = yield* endOfSubBlocks(bytes, at + header);
    yield { type: "", content: bytes.subarray(at, end) };
    at = end;
  }
}

/** The three lowest bits of the flags encode the number of colours, a power of two. */
function colourTableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

function* endOfSubBlocks(bytes: Uint8Array, start: number): Generator<null, number> {
  let at = start;
  while (bytes[at] > 0) {
    const end = at + PIECE_BYTES;
    while (at < end && bytes[at] > 0) at += bytes[at] + 1;
    yield null;
  }
  return at + 1;
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

function fourLetters(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}
