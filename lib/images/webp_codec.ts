import { Image } from "imagescript";
import sharp, { type Metadata, type Sharp } from "sharp";
import { AppError } from "../errors.ts";
import type { ImageContentType, WebpImage } from "../services.ts";

/** Of 100. */
const WEBP_QUALITY = 80;
/** The longest side that the format knows. Beyond it the encoder returns nothing, without an error. */
const WEBP_MAX_SIDE = 16_383;
const RGBA = 4;
/** Of an interlaced image every pixel is held at once: of one that takes more for each, fewer are allowed. */
const HELD_BYTES_PER_PIXEL = 6;

/** The only decoders that may run, though libvips has some twenty. */
const DECODERS = ["JpegBuffer", "PngBuffer", "WebpBuffer", "NsgifBuffer"].map((name) => `VipsForeignLoad${name}`);

sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({ operation: DECODERS });
sharp.cache(false); // no two uploads are alike
sharp.concurrency(1); // one thread an image: the limit below counts the images

export interface ToWebpOptions {
  contentType: ImageContentType;
  maxDimension: number;
  /** Images with more are refused before they are decoded. */
  maxPixels: number;
}

/**
 * Converts with sharp, which decodes, orients and resizes, and imagescript, which encodes; both on threads of their own.
 *
 * @throws {AppError} IMAGE_INVALID.
 */
export async function toWebp(bytes: Uint8Array, options: ToWebpOptions): Promise<WebpImage> {
  return await encode(await decode(bytes, options));
}

interface Pixels {
  rgba: Uint8ClampedArray<ArrayBuffer>;
  width: number;
  height: number;
}

async function decode(bytes: Uint8Array, options: ToWebpOptions): Promise<Pixels> {
  try {
    const source = sharp(bytes, {
      pages: 1,
      sequentialRead: true,
      failOn: "warning",
      limitInputPixels: options.maxPixels,
    });
    const header = await source.metadata();
    requireDecodable(header, options);
    // sharp brings an embedded profile to Display P3 where samples have 16 bits, to sRGB everywhere else.
    if (header.space === "rgb16" && header.hasProfile) source.withIccProfile("srgb");
    return await pixelsOf(source, Math.min(options.maxDimension, WEBP_MAX_SIDE));
  } catch (cause) {
    throw cause instanceof AppError ? cause : invalid("The image cannot be read", cause);
  }
}

function requireDecodable(header: Metadata, { contentType, maxPixels }: ToWebpOptions) {
  const pixels = header.width * header.height;
  if (`image/${header.format}` !== contentType) throw invalid(`The image is not of the type ${contentType}`);
  if (pixels > maxPixels) throw invalid(`The image has more than ${maxPixels} pixels`);
  if (pixels * heldBytesPerPixel(header) > maxPixels * HELD_BYTES_PER_PIXEL) {
    throw invalid("The image is too large for an interlaced one");
  }
}

/** What an interlaced image takes in memory: PNG as many bytes as its samples have, JPEG two for each coefficient. */
function heldBytesPerPixel({ isProgressive, format, depth, channels }: Metadata): number {
  if (!isProgressive) return 0;
  return channels * (format === "jpeg" || depth === "ushort" ? 2 : 1);
}

async function pixelsOf(source: Sharp, maxDimension: number): Promise<Pixels> {
  const { data, info } = await source.autoOrient().toColourspace("srgb")
    .resize({ width: maxDimension, height: maxDimension, fit: "inside", withoutEnlargement: true })
    .ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  return { rgba: new Uint8ClampedArray(data.buffer, data.byteOffset, data.byteLength), width, height };
}

async function encode({ rgba, width, height }: Pixels): Promise<WebpImage> {
  // The encoder reads width x height x 4 bytes, whether they are there or not.
  if (rgba.length !== width * height * RGBA) {
    throw new Error(`Encoding pixels of ${width}x${height}: ${rgba.length} bytes`);
  }
  const image = new Image(width, height);
  image.bitmap = rgba;
  const bytes = await image.encodeWEBP(WEBP_QUALITY) as Uint8Array<ArrayBuffer>;
  if (bytes.length === 0) throw new Error(`Encoding a WebP of ${width}x${height}: empty`);
  return { bytes, width, height };
}

function invalid(message: string, cause?: unknown): AppError {
  return new AppError("IMAGE_INVALID", message, { cause });
}
