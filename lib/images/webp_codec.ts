import { Image } from "imagescript";
import sharp, { type Channels, type Metadata, type ResizeOptions, type Sharp } from "sharp";
import { AppError, type ErrorDataOf } from "../errors.ts";
import type { ImageCrop, WebpImage } from "../services.ts";
import type { Decoding } from "./conversion_requests.ts";
import { requireOrdinaryStructure } from "./image_structure.ts";

/** Out of 100. */
const WEBP_QUALITY = 80;
/** The longest side that WebP allows. Beyond it, the encoder returns no bytes and no error. */
const WEBP_MAX_SIDE = 16_383;
/** The longest side of a JPEG or GIF. A PNG may be longer, but each row has a cost, even if it is one pixel wide. */
const MAX_SIDE = 65_535;
/** Samples per pixel. */
const [RGB, RGBA] = [3, 4];
/** The alpha value of an opaque pixel, the last of its bytes. Every system that Deno supports is little-endian. */
const OPAQUE = 0xff << 24;
/** An interlaced image is held completely in memory, so more bytes per pixel mean a lower pixel limit. */
const HELD_BYTES_PER_PIXEL = 6;

/** The position of the tag list in a color profile: after the header, with at most 100 entries. Source: lcms2. */
const [ICC_TAGS_START, ICC_TAGS_END] = [132, 132 + 100 * 12];

/** The only decoders that may run; libvips has some twenty. */
const DECODERS = ["JpegBuffer", "PngBuffer", "WebpBuffer", "NsgifBuffer"].map((name) => `VipsForeignLoad${name}`);

await navigator.locks.request("decoders of images", restrictDecoders);
sharp.cache(false); // no two uploads are alike
sharp.concurrency(1); // one thread per operation: the launcher limits the number of images

/** Acts once per process: while all are blocked, an image that another isolate converts would be refused. */
async function restrictDecoders(): Promise<void> {
  const svg = sharp(new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'));
  const isRefused = await svg.metadata().then(() => false, ({ message }) => message.includes("unsupported"));
  if (isRefused) return;
  sharp.block({ operation: ["VipsForeignLoad"] });
  sharp.unblock({ operation: DECODERS });
}

/**
 * Decodes an image, orients it and fits it into a square of `maxDimension` pixels or crops it to one, on a thread of its own.
 *
 * @throws {AppError} IMAGE_INVALID.
 */
export async function decode(bytes: Uint8Array, request: Decoding): Promise<Pixels> {
  try {
    requireOrdinaryStructure(bytes, request.contentType);
    const source = sharp(bytes, {
      pages: 1,
      sequentialRead: true,
      failOn: "warning",
      limitInputPixels: request.maxPixels,
    });
    const header = await source.metadata();
    requireDecodable(header, request);
    // By default, sharp converts an embedded profile to Display P3 if samples have 16 bits, otherwise to sRGB.
    if (header.space === "rgb16" && header.hasProfile) source.withIccProfile("srgb");
    return await pixelsOf(source, resizing(header, request));
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError("IMAGE_INVALID", { reason: "undecodable", cause });
  }
}

/**
 * Encodes an image, and beside it its smaller copies, on threads of their own. Returns the image, then the copies from the
 * smallest to the largest.
 */
export async function encodeAll(pixels: Pixels, variantWidths: number[]): Promise<WebpImage[]> {
  return (await Promise.all([encode(pixels), encodeVariants(pixels, variantWidths)])).flat();
}

/**
 * Makes each copy of the next larger one, which is faster than making all of the image itself. Without an alpha channel,
 * resizing takes a third of the time, so the encoder's is added last.
 */
async function encodeVariants(pixels: Pixels, widths: number[]): Promise<WebpImage[]> {
  const variants: WebpImage[] = [];
  let larger = pixels;
  for (const width of widths.filter((width) => width < pixels.width).toReversed()) {
    larger = await shrink(larger, width, Math.max(1, Math.round(pixels.height * width / pixels.width)));
    variants.unshift(await encode(larger));
  }
  return variants;
}

/** A decoded image. */
export interface Pixels {
  samples: Uint8ClampedArray<ArrayBuffer>;
  width: number;
  height: number;
  /** Three, or four if some pixels may be transparent. */
  channels: Channels;
}

function requireDecodable(header: Metadata, { contentType, maxPixels }: Decoding) {
  const pixels = header.width * header.height;
  if (`image/${header.format}` !== contentType) throw invalid({ reason: "type", contentType });
  if (Math.max(header.width, header.height) > MAX_SIDE) {
    throw invalid({ reason: "side", max: MAX_SIDE });
  }
  if (pixels > maxPixels) throw invalid({ reason: "pixels", max: maxPixels });
  if (pixels * heldBytesPerPixel(header) > maxPixels * HELD_BYTES_PER_PIXEL) {
    throw invalid({ reason: "interlaced" });
  }
  if (hasProcessingSteps(header.icc)) throw invalid({ reason: "colors" });
}

/**
 * Detects a DToB tag, a list of any number of steps. No camera writes one, and lcms computes every step for 36,000
 * colors before the first row: 1,000 steps, in 9 kB, take 10 seconds.
 */
function hasProcessingSteps(icc: Metadata["icc"]): boolean {
  return icc?.subarray(ICC_TAGS_START, ICC_TAGS_END).includes("D2B") ?? false;
}

/** The memory for an interlaced image: a PNG takes the bytes of its samples, a JPEG two bytes per coefficient. */
function heldBytesPerPixel({ isProgressive, format, depth, channels }: Metadata): number {
  if (!isProgressive) return 0;
  return channels * (format === "jpeg" || depth === "ushort" ? 2 : 1);
}

const CROP_POSITIONS: Record<ImageCrop, string> = { start: "left top", center: "center", end: "right bottom" };

/** How to fit an image into a square of `maxDimension` pixels, or crop it to a square. Neither enlarges it. */
function resizing({ width, height }: Metadata, { maxDimension, crop }: Decoding): ResizeOptions {
  const side = Math.min(maxDimension, WEBP_MAX_SIDE);
  if (crop === undefined) return { width: side, height: side, fit: "inside", withoutEnlargement: true };
  const squareSide = Math.min(side, width, height);
  return { width: squareSide, height: squareSide, fit: "cover", position: CROP_POSITIONS[crop] };
}

async function pixelsOf(source: Sharp, options: ResizeOptions): Promise<Pixels> {
  return await rawPixelsOf(source.autoOrient().toColorspace("srgb").resize(options));
}

async function shrink({ samples, ...raw }: Pixels, width: number, height: number): Promise<Pixels> {
  return await rawPixelsOf(sharp(samples, { raw }).resize({ width, height, fit: "fill" }));
}

/** Fills an image. Adding opaque alpha values takes 2 ms less for a photo than asking the library for them. */
function fill(image: Image, { samples, channels }: Pixels): void {
  if (channels === RGBA) {
    image.bitmap = samples;
    return;
  }
  const rgba = new Int32Array(image.bitmap.buffer);
  let at = fillByWords(rgba, samples);
  for (let i = at / RGB; i < rgba.length; i++, at += RGB) {
    rgba[i] = OPAQUE | samples[at] | samples[at + 1] << 8 | samples[at + 2] << 16;
  }
}

/**
 * Fills four pixels at a time, from three numbers of 32 bits, which takes less than half of the time. Returns the position
 * of the first sample that is left.
 */
function fillByWords(rgba: Int32Array, { buffer, byteOffset, length }: Uint8ClampedArray): number {
  if (byteOffset % 4 > 0) return 0;
  const words = new Int32Array(buffer, byteOffset, 3 * Math.floor(length / 12));
  for (let i = 0, at = 0; at < words.length; i += 4, at += 3) {
    const second = words[at + 1];
    rgba[i] = OPAQUE | words[at];
    rgba[i + 1] = OPAQUE | words[at] >>> 24 | second << 8;
    rgba[i + 2] = OPAQUE | second >>> 16 | words[at + 2] << 16;
    rgba[i + 3] = OPAQUE | words[at + 2] >>> 8;
  }
  return 4 * words.length;
}

async function rawPixelsOf(image: Sharp): Promise<Pixels> {
  const { data, info: { width, height, channels } } = await image.raw().toBuffer({ resolveWithObject: true });
  // The encoder reads width x height pixels, even beyond the end of the samples.
  if (channels < RGB || data.length !== width * height * channels) {
    throw new Error(`Cannot use ${width}x${height} pixels: they have ${data.length} bytes in ${channels} channels`);
  }
  return { samples: new Uint8ClampedArray(data.buffer, data.byteOffset, data.byteLength), width, height, channels };
}

async function encode(pixels: Pixels): Promise<WebpImage> {
  const { width, height } = pixels;
  const image = new Image(width, height);
  fill(image, pixels);
  const bytes = await image.encodeWEBP(WEBP_QUALITY) as Uint8Array<ArrayBuffer>;
  if (bytes.length === 0) {
    throw new Error(`Cannot encode a WebP of ${width}x${height} pixels: the encoder returned no bytes`);
  }
  return { bytes, width, height };
}

function invalid(data: ErrorDataOf<"IMAGE_INVALID">): AppError {
  return new AppError("IMAGE_INVALID", data);
}
