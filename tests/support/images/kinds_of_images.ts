import { Buffer } from "node:buffer";
import { deflateSync } from "node:zlib";
import sharp, { type Sharp } from "sharp";
import { jpegSegment } from "./hostile_images.ts";
import { lzwOf } from "./faulty_images.ts";
import { pngChunk } from "./pictures.ts";

/** Small pictures of the kinds that programs write. Browsers show all of them. */

type Type = "jpeg" | "png" | "webp" | "gif";
type Rgba = [red: number, green: number, blue: number, alpha: number];

const [WIDTH, HEIGHT] = [24, 16];

/** Every pixel has a color of its own, and no two corners are alike. */
function colorAt(x: number, y: number): Rgba {
  return [20 + x * 9, 30 + y * 12, x < WIDTH / 2 ? 190 : 70, 255];
}

/** The picture, in other sizes a part of it. */
function picture({ width = WIDTH, height = HEIGHT, alpha = false } = {}): Sharp {
  const pixels = pixelsOf(width, height).map(([red, green, blue], i) => [red, green, blue, alpha ? i * 5 % 256 : 255]);
  return sharp(Buffer.from(pixels.flat()), { raw: { width, height, channels: 4 } });
}

function pixelsOf(width = WIDTH, height = HEIGHT): Rgba[] {
  return Array.from({ length: width * height }, (_, i) => colorAt(i % width, Math.floor(i / width)));
}

/** The pictures, by the names of their files. */
export async function kindsOfImages(): Promise<Record<string, Uint8Array>> {
  return {
    ...pngsOfAllKinds(),
    ...pngsWithColorSpaces(),
    ...await otherPngs(),
    ...await jpegs(),
    ...gifs(),
    ...await webps(),
  };
}

/** Every color type with every depth. Source: PNG, third edition, table 8. */
function pngsOfAllKinds(): Record<string, Uint8Array> {
  const gray = (bits: number) => ({ colorType: 0, bits, samples: grays(bits) });
  const rgb = (bits: number) => ({ colorType: 2, bits, samples: rgbs(bits) });
  const palette = (bits: number) => ({ colorType: 3, bits, samples: indexes(bits), chunks: [paletteChunk(2 ** bits)] });
  const withChunk = <Kind extends PngOptions>(kind: Kind, type: string, content: number[]) => ({
    ...kind,
    chunks: [...kind.chunks ?? [], pngChunk(type, Buffer.from(content))],
  });
  const kinds: Record<string, PngOptions> = {
    ...Object.fromEntries([1, 2, 4, 8, 16].map((bits) => [`gray-${bits}`, gray(bits)])),
    ...Object.fromEntries([1, 2, 4, 8].map((bits) => [`palette-${bits}`, palette(bits)])),
    "rgb-8": rgb(8),
    "rgb-16": rgb(16),
    "gray-8-trns": withChunk(gray(8), "tRNS", [0, grays(8)[5]]),
    "gray-2-trns": withChunk(gray(2), "tRNS", [0, 1]),
    "rgb-8-trns": withChunk(rgb(8), "tRNS", rgbs(8).slice(30, 33).flatMap((sample) => [0, sample])),
    "palette-2-trns": withChunk(palette(2), "tRNS", [0, 128]),
    "palette-8-trns": withChunk(palette(8), "tRNS", Array.from({ length: 256 }, (_, i) => i)),
    "gray-alpha-8": { colorType: 4, bits: 8, samples: grays(8).flatMap((gray, i) => [gray, i * 3 % 256]) },
    "gray-alpha-16": { colorType: 4, bits: 16, samples: grays(16).flatMap((gray, i) => [gray, i * 600 % 65_536]) },
    "rgba-8": { colorType: 6, bits: 8, samples: pixelsOf().flatMap(([r, g, b], i) => [r, g, b, i * 3 % 256]) },
    "rgba-16": {
      colorType: 6,
      bits: 16,
      samples: pixelsOf().flatMap(([r, g, b], i) => [r * 257, g * 257, b * 257, i * 600 % 65_536]),
    },
    "background": withChunk(rgb(8), "bKGD", [0, 255, 0, 0, 0, 0]),
    "significant-bits": withChunk(rgb(8), "sBIT", [5, 6, 5]),
    "physical-size": withChunk(rgb(8), "pHYs", [0, 0, 11, 18, 0, 0, 22, 36, 1]),
    "wide-pixels": withChunk(rgb(8), "pHYs", [0, 0, 0, 2, 0, 0, 0, 1, 0]),
  };
  return Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [`${name}.png`, pngOf(kind)]));
}

const GAMMA = (value: number) => pngChunk("gAMA", uint32s(value * 100_000));
const P3_POINTS = [31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6_000];
const CHROMATICITIES = (points: number[]) => pngChunk("cHRM", uint32s(...points));
const CODES = (...codes: number[]) => pngChunk("cICP", Buffer.from(codes));
const SRGB = pngChunk("sRGB", Buffer.from([0]));

/** What a PNG can say about its colors. */
function pngsWithColorSpaces(): Record<string, Uint8Array> {
  const rgb = { colorType: 2, bits: 8, samples: rgbs(8) };
  const gray = { colorType: 0, bits: 8, samples: grays(8) };
  const palette = { colorType: 3, bits: 8, samples: indexes(8) };
  const p3 = CHROMATICITIES(P3_POINTS);
  const kinds: Record<string, PngOptions> = {
    "gamma-1": { ...rgb, chunks: [GAMMA(1)] },
    "gamma-0.45455": { ...rgb, chunks: [GAMMA(0.45455)] },
    "gamma-0.55556": { ...rgb, chunks: [GAMMA(0.55556)] },
    "gamma-0.00001": { ...rgb, chunks: [GAMMA(0.00001)] },
    "gamma-0.48": { ...rgb, chunks: [GAMMA(0.48)] },
    "gamma-0": { ...rgb, chunks: [GAMMA(0)] },
    "gamma-1-gray": { ...gray, chunks: [GAMMA(1)] },
    "gamma-1-palette": { ...palette, chunks: [GAMMA(1), paletteChunk(256)] },
    "gamma-1-16": { colorType: 2, bits: 16, samples: rgbs(16), chunks: [GAMMA(1)] },
    "gamma-1-alpha": {
      colorType: 6,
      bits: 8,
      samples: pixelsOf().flatMap(([r, g, b], i) => [r, g, b, i * 3 % 256]),
      chunks: [GAMMA(1)],
    },
    "gamma-and-p3": { ...rgb, chunks: [GAMMA(0.45455), p3] },
    "p3-without-gamma": { ...rgb, chunks: [p3] },
    "gamma-and-no-points": { ...rgb, chunks: [GAMMA(1), CHROMATICITIES(Array(8).fill(0))] },
    "srgb": { ...rgb, chunks: [SRGB] },
    "broken-srgb-and-gamma-1": { ...rgb, chunks: [pngChunk("sRGB", Buffer.from([9])), GAMMA(1)] },
    "two-gammas": { ...rgb, chunks: [GAMMA(1), GAMMA(0.45455)] },
    "srgb-and-gamma-1": { ...rgb, chunks: [SRGB, GAMMA(1)] },
    "cicp-p3": { ...rgb, chunks: [CODES(12, 13, 0, 1)] },
    "cicp-srgb": { ...rgb, chunks: [CODES(1, 13, 0, 1)] },
    "cicp-bt709": { ...rgb, chunks: [CODES(1, 1, 0, 1)] },
    "cicp-bt2020": { ...rgb, chunks: [CODES(9, 14, 0, 1)] },
    "cicp-linear": { ...rgb, chunks: [CODES(1, 8, 0, 1)] },
    "cicp-gamma-2.2": { ...rgb, chunks: [CODES(1, 4, 0, 1)] },
    "cicp-p3-and-srgb": { ...rgb, chunks: [CODES(12, 13, 0, 1), SRGB] },
    "cicp-p3-gray": { ...gray, chunks: [CODES(12, 13, 0, 1)] },
    "cicp-smpte240": { ...rgb, chunks: [CODES(7, 7, 0, 1)] },
    "cicp-cinema": { ...rgb, chunks: [CODES(11, 17, 0, 1)] },
    "cicp-unknown": { ...rgb, chunks: [CODES(2, 2, 0, 1)] },
  };
  return Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [`${name}.png`, pngOf(kind)]));
}

async function otherPngs(): Promise<Record<string, Uint8Array>> {
  const rgb = { colorType: 2, bits: 8, samples: rgbs(8) };
  const animationControl = pngChunk("acTL", uint32s(2, 0));
  const frameControl = (number: number) =>
    pngChunk("fcTL", Buffer.concat([uint32s(number, WIDTH, HEIGHT, 0, 0), Buffer.from([0, 1, 0, 10, 0, 0])]));
  const black = deflateSync(Buffer.alloc(HEIGHT * (WIDTH * 3 + 1)));
  const secondFrame = pngChunk("fdAT", Buffer.concat([uint32s(2), black]));
  return {
    "interlaced.png": await picture().png({ progressive: true }).toBuffer(),
    "interlaced-16.png": await picture().toColorspace("rgb16").png({ progressive: true }).toBuffer(),
    "interlaced-palette.png": await picture().png({ progressive: true, palette: true }).toBuffer(),
    "filters.png": await picture({ alpha: true }).png({ adaptiveFiltering: true }).toBuffer(),
    "profile-p3.png": await picture().withIccProfile("p3").png().toBuffer(),
    "profile-p3-16.png": await picture().toColorspace("rgb16").withIccProfile("p3").png().toBuffer(),
    "1x1.png": await picture({ width: 1, height: 1 }).png().toBuffer(),
    "1x17.png": await picture({ width: 1, height: 17 }).png().toBuffer(),
    "13x7.png": await picture({ width: 13, height: 7 }).png().toBuffer(),
    "animated.png": pngOf({
      ...rgb,
      chunks: [animationControl, frameControl(0)],
      after: [frameControl(1), secondFrame],
    }),
    "orientation-6.png": pngOf({ ...rgb, chunks: [pngChunk("eXIf", exifOf("II", 6))] }),
    "many-idat.png": pngOf({ ...rgb, idatBytes: 7 }),
  };
}

async function jpegs(): Promise<Record<string, Uint8Array>> {
  const jpeg = (options: Parameters<Sharp["jpeg"]>[0] = {}, source = picture()) =>
    source.jpeg({ quality: 95, chromaSubsampling: "4:4:4", ...options }).toBuffer();
  const plain = await jpeg();
  const subsampled = { chromaSubsampling: "4:2:0" };
  const cmyk = await jpeg({}, picture().removeAlpha().toColorspace("cmyk"));
  const orientations = await Promise.all(Array.from({ length: 8 }, (_, i) =>
    jpeg(
      {},
      picture().withMetadata({
        orientation: i + 1,
      }),
    )));
  const pixelArt = await art().jpeg({ quality: 100, chromaSubsampling: "4:4:4" }).toBuffer();
  return {
    "plain.jpg": plain,
    "subsampled.jpg": await jpeg(subsampled),
    "gray.jpg": await jpeg({}, picture().removeAlpha().toColorspace("b-w")),
    "progressive.jpg": await jpeg({ progressive: true }),
    "progressive-subsampled.jpg": await jpeg({ progressive: true, ...subsampled }),
    "1x1.jpg": await jpeg(subsampled, picture({ width: 1, height: 1 })),
    "17x13.jpg": await jpeg(subsampled, picture({ width: 17, height: 13 })),
    "cmyk.jpg": cmyk,
    "cmyk-without-adobe.jpg": withoutSegment(cmyk, 0xee),
    "ycck.jpg": withTransform(cmyk, 2),
    "adobe-rgb-channels.jpg": withSegment(plain, adobeSegment(0)),
    "adobe-ycc.jpg": withSegment(plain, adobeSegment(1)),
    "profile-p3.jpg": await jpeg({}, picture().withIccProfile("p3")),
    "comment.jpg": withSegment(plain, jpegSegment(0xfe, [...Buffer.from("A comment")])),
    "xmp.jpg": withSegment(plain, jpegSegment(0xe1, [...Buffer.from("http://ns.adobe.com/xap/1.0/\0<x:xmpmeta/>")])),
    "pixel-art.jpg": pixelArt,
    ...Object.fromEntries(orientations.map((bytes, i) => [`orientation-${i + 1}.jpg`, bytes])),
    "orientation-6-big-endian.jpg": withSegment(plain, exifSegment("MM", 6)),
    "orientation-0.jpg": withSegment(plain, exifSegment("II", 0)),
    "orientation-9.jpg": withSegment(plain, exifSegment("II", 9)),
  };
}

/** Checkered pixels of plain colors. */
function art(): Sharp {
  const colors = [[255, 0, 0], [255, 255, 255], [0, 0, 0], [0, 90, 255]];
  const pixels = Array.from({ length: 256 }, (_, i) => colors[(i * 7 + Math.floor(i / 16) * 3) % 4]);
  return sharp(Buffer.from(pixels.flat()), { raw: { width: 16, height: 16, channels: 3 } });
}

/** Frames of four colors, of which the last one may be transparent. */
function gifs(): Record<string, Uint8Array> {
  const whole = { left: 0, top: 0, width: 16, height: 12 };
  const inner = { left: 4, top: 3, width: 8, height: 6 };
  const loop = Buffer.from("!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0", "latin1");
  return {
    "plain.gif": gifOf([whole]),
    "interlaced.gif": gifOf([{ ...whole, interlaced: true }]),
    "own-colors.gif": gifOf([{ ...whole, ownColors: true }]),
    "only-own-colors.gif": gifOf([{ ...whole, ownColors: true }], { hasColors: false }),
    "transparent.gif": gifOf([{ ...whole, transparent: 3 }]),
    "transparent-small.gif": gifOf([{ ...inner, transparent: 3 }]),
    "small.gif": gifOf([inner]),
    "small-background.gif": gifOf([inner], { background: 2 }),
    "animated.gif": gifOf([whole, { ...inner, ownColors: true }], { start: loop }),
    "animated-disposal-2.gif": gifOf([{ ...whole, disposal: 2, transparent: 3 }, inner], { start: loop }),
    "animated-disposal-3.gif": gifOf([{ ...whole, disposal: 3 }, inner], { start: loop }),
    "animated-small.gif": gifOf([{ ...inner, disposal: 2, transparent: 1 }, whole], { start: loop }),
    "beyond-canvas.gif": gifOf([{ left: 8, top: 6, width: 16, height: 12 }]),
    "wide-pixels.gif": gifOf([whole], { aspect: 113 }),
    "text-extension.gif": gifOf([whole], { start: Buffer.from("!\x01\x0c000000000000\x02hi\0", "latin1") }),
  };
}

async function webps(): Promise<Record<string, Uint8Array>> {
  const webp = (options: Parameters<Sharp["webp"]>[0] = {}, source = picture()) =>
    source.webp({ quality: 95, ...options }).toBuffer();
  const frames = Buffer.from([...pixelsOf(), ...pixelsOf().toReversed()].flat());
  const raw = { width: WIDTH, height: 2 * HEIGHT, channels: 4 as const, pageHeight: HEIGHT };
  const lossless = await webp({ lossless: true });
  return {
    "lossy.webp": await webp(),
    "lossless.webp": lossless,
    "lossy-alpha.webp": await webp({}, picture({ alpha: true })),
    "lossless-alpha.webp": await webp({ lossless: true }, picture({ alpha: true })),
    "near-lossless.webp": await webp({ nearLossless: true }),
    "animated.webp": await webp({ lossless: true }, sharp(frames, { raw })),
    "profile-p3.webp": await webp({ lossless: true }, picture().withIccProfile("p3")),
    "1x1.webp": await webp({}, picture({ width: 1, height: 1 })),
    "13x7.webp": await webp({}, picture({ width: 13, height: 7 })),
    "unknown-chunk.webp": withRiffSize(
      Buffer.concat([lossless, Buffer.from("abcd\x02\0\0\0hi")]),
      lossless.length + 10,
    ),
  };
}

interface PngOptions {
  colorType: number;
  bits: number;
  samples: number[];
  /** Before the pixels, and after them. */
  chunks?: Uint8Array[];
  after?: Uint8Array[];
  /** The length of each chunk of pixels. */
  idatBytes?: number;
}

function pngOf({ colorType, bits, samples, chunks = [], after = [], idatBytes = Infinity }: PngOptions): Buffer {
  const perRow = samples.length / HEIGHT;
  const rows = Array.from({ length: HEIGHT }, (_, y) => packed(samples.slice(y * perRow, (y + 1) * perRow), bits));
  const data = deflateSync(Buffer.concat(rows.flatMap((row) => [Buffer.alloc(1), row])));
  const step = Math.min(idatBytes, data.length);
  const parts = Array.from(
    { length: Math.ceil(data.length / step) },
    (_, i) => data.subarray(i * step, (i + 1) * step),
  );
  const header = Buffer.concat([uint32s(WIDTH, HEIGHT), Buffer.from([bits, colorType, 0, 0, 0])]);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    pngChunk("IHDR", header),
    ...chunks,
    ...parts.map((part) => pngChunk("IDAT", part)),
    ...after,
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

function packed(samples: number[], bits: number): Buffer {
  const text = samples.map((sample) => sample.toString(2).padStart(bits, "0")).join("");
  return Buffer.from(text.match(/.{1,8}/g)!.map((byte) => parseInt(byte.padEnd(8, "0"), 2)));
}

function grays(bits: number): number[] {
  return pixelsOf().map(([red, green]) => Math.round((red + green) / 2 / 255 * (2 ** bits - 1)));
}

function rgbs(bits: number): number[] {
  return pixelsOf().flatMap(([red, green, blue]) => [red, green, blue].map((value) => value * (bits === 16 ? 257 : 1)));
}

function indexes(bits: number): number[] {
  return pixelsOf().map((_, i) => (i % WIDTH + Math.floor(i / WIDTH) * 3) % 2 ** bits);
}

function paletteChunk(colors: number): Uint8Array {
  return pngChunk(
    "PLTE",
    Buffer.from(Array.from({ length: colors }, (_, i) => [i * 5 % 256, 255 - i, i * 3 % 256]).flat()),
  );
}

function uint32s(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, i) => bytes.writeUInt32BE(Math.round(value), i * 4));
  return bytes;
}

function withSegment(jpeg: Buffer, segment: ArrayLike<number>): Buffer {
  return Buffer.concat([jpeg.subarray(0, 2), Buffer.from(Array.from(segment)), jpeg.subarray(2)]);
}

function withoutSegment(jpeg: Buffer, marker: number): Buffer {
  const at = jpeg.indexOf(Buffer.from([0xff, marker]));
  return Buffer.concat([jpeg.subarray(0, at), jpeg.subarray(at + 2 + jpeg.readUInt16BE(at + 2))]);
}

/** How the channels were transformed: 0 for not at all, 1 for YCbCr, 2 for YCCK. */
function adobeSegment(transform: number) {
  return jpegSegment(0xee, [...Buffer.from("Adobe"), 0, 100, 0, 0, 0, 0, transform]);
}

function withTransform(jpeg: Buffer, transform: number): Buffer {
  const changed = Buffer.from(jpeg);
  changed[jpeg.indexOf("Adobe") + 11] = transform;
  return changed;
}

function exifSegment(order: "II" | "MM", orientation: number) {
  return jpegSegment(0xe1, [...Buffer.from("Exif\0\0"), ...exifOf(order, orientation)]);
}

/** An orientation alone. */
function exifOf(order: "II" | "MM", orientation: number): Buffer {
  const number = (value: number, bytes: number) => {
    const digits = Array.from({ length: bytes }, (_, i) => value >> 8 * (bytes - 1 - i) & 255);
    return order === "II" ? digits.toReversed() : digits;
  };
  return Buffer.from([
    ...Buffer.from(order),
    ...number(42, 2),
    ...number(8, 4),
    ...number(1, 2),
    ...number(0x112, 2),
    ...number(3, 2),
    ...number(1, 4),
    ...number(orientation, 2),
    ...number(0, 2),
    ...number(0, 4),
  ]);
}

interface GifFrame {
  left: number;
  top: number;
  width: number;
  height: number;
  interlaced?: boolean;
  ownColors?: boolean;
  /** The index of the transparent color. */
  transparent?: number;
  /** What happens to the frame before the next one. */
  disposal?: number;
}

interface GifOptions {
  background?: number;
  /** The aspect ratio of pixels, as GIF encodes it. */
  aspect?: number;
  hasColors?: boolean;
  /** Blocks before the first frame. */
  start?: Buffer;
}

const GIF_COLORS = [[200, 30, 40], [30, 160, 60], [40, 60, 210], [240, 230, 120]];

function gifOf(frames: GifFrame[], { background = 0, aspect = 0, hasColors = true, start }: GifOptions = {}): Buffer {
  return Buffer.concat([
    Buffer.from("GIF89a"),
    Buffer.from([16, 0, 12, 0, hasColors ? 0x81 : 0, background, aspect]),
    Buffer.from(hasColors ? GIF_COLORS.flat() : []),
    start ?? Buffer.alloc(0),
    ...frames.map(gifFrame),
    Buffer.from([0x3b]),
  ]);
}

function gifFrame(frame: GifFrame): Buffer {
  const { left, top, width, height, interlaced = false, ownColors = false, transparent, disposal = 0 } = frame;
  const rows = Array.from({ length: height }, (_, y) => y);
  const passes = [[0, 8], [4, 8], [2, 4], [1, 2]];
  const order = interlaced ? passes.flatMap(([first, step]) => rows.filter((y) => y % step === first)) : rows;
  const pixels = order.flatMap((y) => Array.from({ length: width }, (_, x) => (x + 2 * y + (x >> 2)) % 4));
  return Buffer.from([
    ...[0x21, 0xf9, 4, disposal << 2 | (transparent === undefined ? 0 : 1), 10, 0, transparent ?? 0, 0],
    ...[0x2c, left, 0, top, 0, width, 0, height, 0, (ownColors ? 0x81 : 0) | (interlaced ? 0x40 : 0)],
    ...ownColors ? GIF_COLORS.toReversed().flat() : [],
    ...lzwOf(pixels),
  ]);
}

/** The size is that of the file without its first 8 bytes. */
function withRiffSize(webp: Buffer, fileBytes: number): Buffer {
  const changed = Buffer.from(webp);
  changed.writeUInt32LE(fileBytes - 8, 4);
  return changed;
}

/** The type of a picture, by the name of its file. */
export function typeOfFile(name: string): Type {
  return name.endsWith(".jpg") ? "jpeg" : name.split(".").at(-1) as Type;
}
