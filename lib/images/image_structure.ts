import { AppError, type ImagePart } from "../errors/errors.ts";
import type { ImageContentType } from "../services/services.ts";

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

const PARTS: Record<ImageContentType, (bytes: Uint8Array) => Iterable<Part>> = {
  "image/jpeg": jpegSegments,
  "image/png": pngChunks,
  "image/webp": webpChunks,
  "image/gif": gifBlocks,
};

/**
 * Refuses small files that would take seconds to decode. Reads each byte at most once and decodes nothing. Accepts a
 * broken structure, which the decoder refuses later.
 *
 * @throws {AppError} IMAGE_INVALID.
 */
export function requireOrdinaryStructure(bytes: Uint8Array, contentType: ImageContentType): void {
  const used = LIMITS.map(() => 0);
  for (const part of PARTS[contentType](bytes)) requireWithinLimits(used, part);
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

/** Markers: both kinds of sequential frames, the end of the image, and the start of a scan. */
const [SOF0, SOF1, EOI, SOS] = [0xc0, 0xc1, 0xd9, 0xda];
/** Where a frame says how many components it has. Source: ITU T.81, B.2.2. */
const FRAME_COMPONENTS = 5;

/**
 * Yields the segments of a JPEG. Ends with the first scan if it has all components of a sequential frame, because the
 * decoder reads no other one then. So the image data of most photos is not searched. Source: libjpeg,
 * has_multiple_scans.
 */
function* jpegSegments(bytes: Uint8Array): Generator<Part> {
  const view = viewOf(bytes);
  const words = wordsOf(bytes);
  let [componentsOfFrame, scans] = [NaN, 0];
  let at = findSegment(bytes, words, 0);
  while (at + 4 <= bytes.length && bytes[at + 1] !== EOI) {
    const [marker, end] = [bytes[at + 1], at + 2 + view.getUint16(at + 2)];
    const content = bytes.subarray(at + 4, end);
    yield { type: marker === SOS ? "SOS" : "", content };
    if (marker === SOF0 || marker === SOF1) componentsOfFrame = content[FRAME_COMPONENTS] ?? NaN;
    if (marker === SOS && ++scans === 1 && content[0] === componentsOfFrame) return;
    at = findSegment(bytes, words, end);
  }
}

/** The bytes as numbers of 32 bits, without the last bytes if they fill no number. */
function wordsOf(bytes: Uint8Array): Int32Array {
  const { buffer, byteOffset, length } = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
  return new Int32Array(buffer, byteOffset, length >> 2);
}

/**
 * Finds the next marker that has a length, as libjpeg does. This skips image data, where a zero follows each 0xFF. The
 * content of a segment, such as a thumbnail, is never searched. Looks at four bytes at a time, which takes a third of
 * the time for a photo. A call of indexOf for each 0xFF is slower: a file may consist of nothing else.
 */
function findSegment(bytes: Uint8Array, words: Int32Array, start: number): number {
  for (let at = start; at < bytes.length;) {
    if ((at & 3) === 0) at = skipWords(words, at >> 2) << 2;
    const end = Math.min((at | 3) + 1, bytes.length);
    for (; at < end; at++) if (bytes[at] === 0xff && hasLength(bytes[at + 1])) return at;
  }
  return bytes.length;
}

/** Returns the position of the next number that contains 0xFF, or of the end. */
function skipWords(words: Int32Array, start: number): number {
  let at = start;
  while (at < words.length && !containsFF(words[at])) at++;
  return at;
}

/** Whether one of the four bytes of a number is 0xFF. Source: Warren, Hacker's Delight, 6-1. */
function containsFF(word: number): boolean {
  return ((~word - 0x01010101) & word & 0x80808080) !== 0;
}

/** Stuffing, TEM, restart markers, SOI and fill bytes have no length. Source: ITU T.81, B.1.1. */
function hasLength(marker: number): boolean {
  return marker > 0x01 && !(marker >= 0xd0 && marker <= 0xd8) && marker < 0xff;
}

/** Yields the chunks of a PNG, up to its end. */
export function* pngChunks(bytes: Uint8Array): Generator<Part> {
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

function* gifBlocks(bytes: Uint8Array): Generator<Part> {
  let at = 13 + colorTableBytes(bytes[10]);
  while (bytes[at] === EXTENSION || bytes[at] === IMAGE) {
    const header = bytes[at] === EXTENSION ? 2 : 11 + colorTableBytes(bytes[at + 9]);
    const end = endOfSubBlocks(bytes, at + header);
    yield { type: "", content: bytes.subarray(at, end) };
    at = end;
  }
}

/** A frame of one transparent pixel, with colors of its own. */
const TRANSPARENT_FRAME = Uint8Array.from(
  "!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\x80\0\0\0\0\0\0\x02\x02\x44\x01\0",
  (character) => character.charCodeAt(0),
);

/**
 * Puts a transparent frame before the first one of a GIF if that leaves a part of the canvas empty, and makes the
 * canvas as large as the first frame needs. Otherwise null. Where no frame has a transparent color, libvips makes the
 * rest of the canvas black; browsers leave it transparent.
 */
export function withTransparentFrame(gif: Uint8Array): Uint8Array | null {
  const first = gifBlocks(gif).find(({ content }) => content[0] === IMAGE)?.content;
  if (first === undefined || first.length < 9) return null;
  const [width, height] = [6, 8].map((at) => viewOf(gif).getUint16(at, true));
  const [left, top, frameWidth, frameHeight] = [1, 3, 5, 7].map((at) => viewOf(first).getUint16(at, true));
  const [right, bottom] = [left + frameWidth, top + frameHeight];
  if (left === 0 && top === 0 && frameWidth === width && frameHeight === height) return null;
  const start = 13 + colorTableBytes(gif[10]);
  const bytes = new Uint8Array(gif.length + TRANSPARENT_FRAME.length);
  bytes.set(gif.subarray(0, start));
  bytes.set(TRANSPARENT_FRAME, start);
  bytes.set(gif.subarray(start), start + TRANSPARENT_FRAME.length);
  viewOf(bytes).setUint16(6, Math.min(Math.max(width, right), MAX_CANVAS_SIDE), true);
  viewOf(bytes).setUint16(8, Math.min(Math.max(height, bottom), MAX_CANVAS_SIDE), true);
  return bytes;
}

/** The longest side that a GIF can state. */
const MAX_CANVAS_SIDE = 65_535;

/** The three lowest bits of the flags encode the number of colors, a power of two. */
function colorTableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

function endOfSubBlocks(bytes: Uint8Array, start: number): number {
  let at = start;
  while (bytes[at] > 0) at += bytes[at] + 1;
  return at + 1;
}

/** Reads numbers from bytes. */
export function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

function fourLetters(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}
