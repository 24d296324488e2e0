import { Image } from "imagescript";
import sharp, { type Channels, type Metadata, type ResizeOptions, type Sharp } from "sharp";
import { AppError, type ErrorDataOf } from "../errors/errors.ts";
import type { ImageCrop, WebpImage } from "../services/services.ts";
import type { Decoding } from "./conversion_requests.ts";
import { requireOrdinaryStructure, withTransparentFrame } from "./image_structure.ts";
import { withColorProfile } from "./png_colors.ts";

/** Out of 100. */
const WEBP_QUALITY = 80;
/** What the encoder calls a WebP without loss. */
const LOSSLESS = null;
/** A WebP of these colors or fewer has a palette. */
const PALETTE_COLORS = 256;
const FEW_PIXELS = 64 * 64;
/** So few bytes are worth every pixel. */
const SHORT_BYTES = 4096;
/** The longest side that WebP allows. Beyond it, the encoder returns no bytes and no error. */
const WEBP_MAX_SIDE = 16_383;
/** The longest side of a JPEG or GIF. A PNG may be longer, but each row has a cost, even if it is one pixel wide. */
const MAX_SIDE = 65_535;
/** Samples per pixel. */
const [RGB, RGBA] = [3, 4] as const;
/** The alpha value of an opaque pixel, the last of its bytes. */
const OPAQUE = 0xff << 24;
/** An interlaced image is held completely in memory, so more bytes per pixel mean a lower pixel limit. */
const HELD_BYTES_PER_PIXEL = 6;

/** The position of the tag list in a color profile: after the header, with at most 100 entries. Source: lcms2. */
const [ICC_TAGS_START, ICC_TAGS_END] = [132, 132 + 100 * 12];

/** What libjpeg says of a file that ends without a marker, and of pixels that end before the next marker. */
const [NO_END, NO_MORE_PIXELS] = ["premature end of JPEG image", "premature end of data segment"];
const END_OF_JPEG = [0xff, 0xd9];

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
 * Decodes an image, orients it and fits it into a square of `maxDimension` pixels or crops it to one, on a thread of
 * its own.
 *
 * @throws {AppError} IMAGE_INVALID.
 */
export async function decode(bytes: Uint8Array, request: Decoding): Promise<Pixels> {
  try {
    requireOrdinaryStructure(bytes, request.contentType);
    return await decodeWhatBrowsersShow(bytes, request);
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError("IMAGE_INVALID", { reason: "undecodable", cause });
  }
}

/**
 * Decodes files with faults that browsers tolerate, but none that lacks pixels. libjpeg warns of both. The first
 * warning ends a strict attempt, so a JPEG without its end gets one: it has all its pixels if there is no other
 * warning.
 */
async function decodeWhatBrowsersShow(bytes: Uint8Array, request: Decoding): Promise<Pixels> {
  const decodeStrictly = (bytes: Uint8Array) => decodeOnce(bytes, request, "warning");
  return await decodeStrictly(bytes).catch((error) => {
    const { message } = error;
    if (error instanceof AppError || message.includes(NO_MORE_PIXELS)) throw error;
    if (message.includes(NO_END)) return decodeStrictly(withEnd(bytes));
    return decodeOnce(bytes, request, "error");
  });
}

function withEnd(jpeg: Uint8Array): Uint8Array {
  const ended = new Uint8Array(jpeg.length + 2);
  ended.set(jpeg);
  ended.set(END_OF_JPEG, jpeg.length);
  return ended;
}

async function decodeOnce(bytes: Uint8Array, request: Decoding, failOn: "warning" | "error"): Promise<Pixels> {
  const withFrame = request.contentType === "image/gif" ? withTransparentFrame(bytes) : null;
  const withProfile = request.contentType === "image/png" ? withColorProfile(bytes) : null;
  const page = withFrame === null ? 0 : 1;
  const options = { page, pages: 1, sequentialRead: true, failOn, limitInputPixels: request.maxPixels };
  const source = sharp(withFrame ?? withProfile ?? bytes, options);
  const header = await source.metadata();
  requireDecodable(header, request);
  // By default, sharp converts an embedded profile to Display P3 if samples have 16 bits, otherwise to sRGB.
  if (header.space === "rgb16" && header.hasProfile) source.withIccProfile("srgb");
  if (header.space === "cmyk" && !header.hasProfile) return await pixelsOfInks(source, resizing(header, request));
  return await pixelsOf(source, resizing(header, request));
}

/**
 * Encodes an image, and beside it its smaller copies, on threads of their own. Returns the image, then the copies from
 * the smallest to the largest.
 */
export async function encodeAll(pixels: Pixels, variantWidths: number[]): Promise<WebpImage[]> {
  return (await Promise.all([encode(pixels), encodeVariants(pixels, variantWidths)])).flat();
}

/**
 * Makes each copy of the next larger one, which is faster than making all of the image itself. Without an alpha
 * channel, resizing takes a third of the time, so the encoder's is added last.
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

/**
 * Mixes inks as browsers do where no profile says what they look like: each one keeps a share of the light. Otherwise,
 * libvips would take those of a printing press.
 */
async function pixelsOfInks(source: Sharp, options: ResizeOptions): Promise<Pixels> {
  const inks = await rawPixelsOf(
    source.pipelineColorspace("cmyk").autoOrient().toColorspace("cmyk").resize(options),
  );
  const samples = new Uint8ClampedArray(inks.width * inks.height * RGB);
  for (let i = 0, at = 0; i < inks.samples.length; i += 4) {
    const black = 255 - inks.samples[i + 3];
    for (let ink = 0; ink < RGB; ink++) samples[at++] = (255 - inks.samples[i + ink]) * black / 255;
  }
  return { ...inks, samples, channels: RGB };
}

async function shrink({ samples, ...raw }: Pixels, width: number, height: number): Promise<Pixels> {
  return await rawPixelsOf(sharp(samples, { raw }).resize({ width, height, fit: "fill" }));
}

/** Fills an image. Adding opaque alpha values takes 2 ms less for a photo than asking the library for them. */
function fill(image: Image, { samples, channels }: Pixels): void {
  if (channels === RGBA) {
    image.bitmap.set(samples);
    return;
  }
  const rgba = new Uint32Array(image.bitmap.buffer); // little-endian, like every system that Deno supports
  for (let i = 0, at = 0; i < rgba.length; i++, at += RGB) {
    rgba[i] = OPAQUE | samples[at] | samples[at + 1] << 8 | samples[at + 2] << 16;
  }
}

async function rawPixelsOf(image: Sharp): Promise<Pixels> {
  const { data, info: { width, height, channels } } = await image.raw().toBuffer({ resolveWithObject: true });
  // The encoder reads width x height pixels, even beyond the end of the samples.
  if (channels < RGB || data.length !== width * height * channels) {
    throw new Error(`Cannot use ${width}x${height} pixels: they have ${data.length} bytes in ${channels} channels`);
  }
  return { samples: new Uint8ClampedArray(data.buffer, data.byteOffset, data.byteLength), width, height, channels };
}

/** Encodes an image, without loss if that takes fewer bytes, as it does for drawings, or few. */
async function encode(pixels: Pixels): Promise<WebpImage> {
  const { width, height } = pixels;
  const image = new Image(width, height);
  fill(image, pixels);
  const lossy = await encodeWith(image, WEBP_QUALITY);
  if (!hasFewPixels(image) && !hasFewColors(image)) return { bytes: lossy, width, height };
  const lossless = await encodeWith(image, LOSSLESS);
  const isShort = lossless.length < Math.max(lossy.length, SHORT_BYTES);
  return { bytes: isShort ? lossless : lossy, width, height };
}

async function encodeWith(image: Image, quality: typeof WEBP_QUALITY | typeof LOSSLESS) {
  const bytes = await image.encodeWEBP(quality) as Uint8Array<ArrayBuffer>;
  if (bytes.length === 0) {
    throw new Error(`Cannot encode a WebP of ${image.width}x${image.height} pixels: the encoder returned no bytes`);
  }
  return bytes;
}

/** Encoding them twice takes no time. */
function hasFewPixels({ width, height }: Image): boolean {
  return width * height <= FEW_PIXELS;
}

/** Photos have so many that the first rows are enough. */
function hasFewColors({ bitmap }: Image): boolean {
  const colors = new Set<number>();
  let previous = NaN;
  for (const color of new Uint32Array(bitmap.buffer, bitmap.byteOffset, bitmap.byteLength / RGBA)) {
    if (color === previous) continue;
    previous = color;
    if (colors.add(color).size > PALETTE_COLORS) return false;
  }
  return true;
}

function invalid(data: ErrorDataOf<"IMAGE_INVALID">): AppError {
  return new AppError("IMAGE_INVALID", data);
}
