import { Buffer } from "node:buffer";
import { deflateSync } from "node:zlib";
import sharp from "sharp";
import { hugePng, pngChunk, quarters, wholePng } from "./pictures.ts";

/** A small valid file that takes far longer to decode than a photo. */
export interface HostileImage {
  name: string;
  type: "jpeg" | "png" | "webp" | "gif";
  bytes: Uint8Array<ArrayBuffer>;
}

const MAX_BYTES = 5 * 1024 * 1024;

/** One file for each known way to slow down a decoder. */
export async function hostileImages(): Promise<HostileImage[]> {
  const [jpeg, gif] = await Promise.all((["jpeg", "gif"] as const).map((type) => quarters().toFormat(type).toBuffer()));
  const emptyText = pngChunk("zTXt", Buffer.concat([Buffer.from("a\0\0"), deflateSync(new Uint8Array())]));
  const frame = Buffer.from(",\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0", "latin1");
  const images: [name: string, type: HostileImage["type"], bytes: Uint8Array][] = [
    ["JPEG with 2,647 scans", "jpeg", progressiveJpeg(4000, 3000, 2647)],
    ["JPEG with a million segments", "jpeg", jpegWithSegments(jpeg, 1_000_000)],
    ["WebP with 30,000 frames", "webp", await animatedWebp(30_000)],
    ["PNG with 4 GB of compressed text", "png", pngWithText(64)],
    ["PNG with a color profile of 5,000 steps", "png", await pngWithProfile(5_000)],
    ["PNG with 200,000 chunks", "png", hugePng(64, 16, fill(emptyText, 200_000))],
    ["PNG of 1 x 9,990,000 pixels", "png", wholePng(1, 9_990_000)],
    ["GIF with 300,000 frames", "gif", Buffer.concat([gif.subarray(0, -1), ...fill(frame, 300_000), gif.subarray(-1)])],
  ];
  return images.map(([name, type, bytes]) => {
    if (bytes.length > MAX_BYTES) throw new Error(`Creating a file to upload: ${name} has ${bytes.length} bytes`);
    return { name, type, bytes: new Uint8Array(bytes) };
  });
}

/**
 * A gray progressive JPEG of up to 2,647 scans: one for the averages, then one for each of 14 bits of 63 coefficients
 * of 3 components. Each of these scans contains only empty blocks, of which 15 bits encode 32,767.
 */
export function progressiveJpeg(width: number, height: number, scans: number): Uint8Array {
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8);
  const size = [height >> 8, height & 255, width >> 8, width & 255];
  const emptyRuns = "0".concat("1".repeat(14)).repeat(Math.ceil(blocks / 32_767));
  const parts = [
    [0xff, 0xd8],
    jpegSegment(0xdb, [0, ...fill(1, 64)]),
    jpegSegment(0xc2, [8, ...size, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]),
    jpegSegment(0xc4, [0x00, 1, ...fill(0, 15), 0x00]), // averages: the code 0 means "unchanged"
    jpegSegment(0xc4, [0x10, 1, ...fill(0, 15), 0xe0]), // coefficients: a run of empty blocks
    jpegSegment(0xda, [3, 1, 0, 2, 0, 3, 0, 0, 0, 0]),
    fill(0, Math.ceil(blocks * 3 / 8)),
    ...coefficientScans().slice(0, scans - 1).flatMap((header) => [jpegSegment(0xda, header), entropyCoded(emptyRuns)]),
    [0xff, 0xd9],
  ];
  return Buffer.concat(parts.map((part) => Buffer.from(part)));
}

function coefficientScans(): number[][] {
  const precisions = Array.from({ length: 14 }, (_, i) => i === 0 ? 13 : (14 - i) << 4 | (13 - i));
  const coefficients = Array.from({ length: 63 }, (_, i) => i + 1);
  return precisions.flatMap((precision) =>
    [1, 2, 3].flatMap((component) => coefficients.map((k) => [1, component, 0, k, k, precision]))
  );
}

/** A segment with its marker and length. */
export function jpegSegment(marker: number, content: number[]): number[] {
  const length = content.length + 2;
  return [0xff, marker, length >> 8, length & 255, ...content];
}

/** Packs bits into bytes, padded with ones and with a zero after each 0xFF. */
function entropyCoded(bits: string): number[] {
  const bytes = bits.match(/.{1,8}/g)!.map((byte) => parseInt(byte.padEnd(8, "1"), 2));
  return bytes.flatMap((byte) => byte === 0xff ? [byte, 0] : [byte]);
}

/** Adds `count` empty APP1 segments to a JPEG. */
export function jpegWithSegments(jpeg: Uint8Array, count: number): Uint8Array {
  const segments = Buffer.from(jpegSegment(0xe1, [])).toString("latin1").repeat(count);
  return Buffer.concat([jpeg.subarray(0, 2), Buffer.from(segments, "latin1"), jpeg.subarray(2)]);
}

/** An animation of one pixel. */
export async function animatedWebp(frames: number): Promise<Uint8Array> {
  const pixel = await quarters(undefined, 1, 1).webp({ lossless: true }).toBuffer();
  const image = pixel.subarray(pixel.indexOf("VP8L"));
  const frame = riffChunk("ANMF", Buffer.concat([Buffer.alloc(16), image]));
  const header = riffChunk("VP8X", Buffer.from([2, ...fill(0, 9)]));
  return riffChunk(
    "RIFF",
    Buffer.concat([Buffer.from("WEBP"), header, riffChunk("ANIM", Buffer.alloc(6)), ...fill(frame, frames)]),
  );
}

function riffChunk(type: string, content: Uint8Array): Uint8Array {
  const header = Buffer.from(`${type}\0\0\0\0`);
  header.writeUInt32LE(content.length, 4);
  return Buffer.concat([header, content, Buffer.alloc(content.length % 2)]);
}

/** A PNG with `count` texts of 64 MB, which take 65 kB each when compressed. */
export function pngWithText(count: number): Uint8Array {
  const text = Buffer.concat([Buffer.from("Comment\0\0"), deflateSync(new Uint8Array(2 ** 26))]);
  return hugePng(64, 16, fill(pngChunk("zTXt", text), count));
}

/** A PNG whose color profile multiplies each color by `steps` matrices. */
async function pngWithProfile(steps: number): Promise<Uint8Array> {
  const png = await quarters().png().toBuffer();
  const { icc } = await sharp(await quarters().withIccProfile("srgb").png().toBuffer()).metadata();
  const profile = withSteps(icc!, steps);
  const chunk = pngChunk("iCCP", Buffer.concat([Buffer.from("profile\0\0"), deflateSync(profile)]));
  const headerEnd = 33;
  return Buffer.concat([png.subarray(0, headerEnd), chunk, png.subarray(headerEnd)]);
}

/** Replaces the copyright of a profile with a list of matrices. All entries point to the same matrix. */
function withSteps(icc: Buffer, steps: number): Buffer {
  const matrix = Buffer.from(`matf${"\0".repeat(56)}`);
  matrix.set([3, 0, 3], 9);
  for (const diagonal of [12, 28, 44]) matrix.writeFloatBE(0.99, diagonal);
  const list = Buffer.from(`mpet${"\0".repeat(12 + 8 * steps)}`);
  list.set([3, 0, 3], 9);
  list.writeUInt32BE(steps, 12);
  for (let at = 16; at < list.length; at += 8) list.writeBigUInt64BE(BigInt(list.length) << 32n | 60n, at); // its position and size
  const profile = Buffer.concat([icc, Buffer.alloc(-icc.length & 3), list, matrix]);
  const tag = profile.indexOf("cprt");
  profile.write("D2B0", tag);
  profile.writeUInt32BE(profile.length - list.length - matrix.length, tag + 4);
  profile.writeUInt32BE(list.length + matrix.length, tag + 8);
  profile.writeUInt32BE(profile.length);
  return profile;
}

function fill<T>(value: T, count: number): T[] {
  return Array<T>(count).fill(value);
}
