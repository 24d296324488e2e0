import { ok } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { crc32, deflateSync } from "node:zlib";
import sharp, { type Sharp } from "sharp";

/** Test images with four plain quarters, so that four pixels are enough to check a conversion. */

export type Color = [red: number, green: number, blue: number, alpha: number];
export const RED: Color = [220, 40, 40, 255];
export const GREEN: Color = [40, 180, 40, 255];
const BLUE: Color = [40, 40, 220, 255];
export const WHITE: Color = [250, 250, 250, 255];
/** Clockwise, starting at the top left. */
export const QUARTERS = [RED, GREEN, WHITE, BLUE];
/** Colors that survive a conversion to CMYK. */
export const PRINTABLE: Color[] = [[200, 60, 50, 255], [90, 160, 80, 255], [250, 250, 250, 255], [80, 90, 150, 255]];
export const [WIDTH, HEIGHT] = [64, 48];

/** `QUARTERS` after each EXIF orientation, from 1 to 8, has been applied. */
export const UPRIGHT = ["0123", "1032", "2301", "3210", "0321", "3012", "2103", "1230"]
  .map((order) => [...order].map((i) => QUARTERS[Number(i)]));

/** An image whose quarters have these colors. */
export function quarters(colors = QUARTERS, width = WIDTH, height = HEIGHT): Sharp {
  return sharp(quarterPixels(colors, width, height), { raw: { width, height, channels: 4 } });
}

function quarterPixels([topLeft, topRight, bottomRight, bottomLeft]: Color[], width: number, height: number) {
  const row = (left: Color, right: Color) => {
    const pixels = Array.from({ length: width }, (_, x) => x < width / 2 ? left : right);
    return Buffer.from(pixels.flat());
  };
  const rows = [row(topLeft, topRight), row(bottomLeft, bottomRight)];
  return Buffer.concat(Array.from({ length: height }, (_, y) => rows[y < height / 2 ? 0 : 1]));
}

/** What browsers show of colors that were turned into inks, without a profile that says what these look like. */
export async function colorsOfInks(colors: Color[]): Promise<Color[]> {
  const { data } = await quarters(colors, 2, 2).removeAlpha().toColorspace("cmyk").raw()
    .toBuffer({ resolveWithObject: true });
  const shown = colors.map((_, i): Color => {
    const [cyan, magenta, yellow, black] = data.subarray(i * 4, i * 4 + 4).map((ink) => 255 - ink);
    return [cyan * black / 255, magenta * black / 255, yellow * black / 255, 255];
  });
  const [topLeft, topRight, bottomLeft, bottomRight] = shown;
  return [topLeft, topRight, bottomRight, bottomLeft];
}

/** Two frames: the quarters, then plain red. */
export function animation(): Sharp {
  const frames = [QUARTERS, [RED, RED, RED, RED]].map((colors) => quarterPixels(colors, WIDTH, HEIGHT));
  return sharp(Buffer.concat(frames), { raw: { width: WIDTH, height: 2 * HEIGHT, channels: 4, pageHeight: HEIGHT } });
}

/** Checks that the centers of the quarters have the expected colors. */
export async function assertQuarters(image: Uint8Array, expected = QUARTERS, tolerance = 16): Promise<void> {
  const { data, info } = await sharp(image).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const [right, bottom] = [info.width, info.height].map((side) => Math.floor(side * 3 / 4));
  const [left, top] = [info.width, info.height].map((side) => Math.floor(side / 4));
  for (const [i, [x, y]] of [[left, top], [right, top], [right, bottom], [left, bottom]].entries()) {
    const at = (y * info.width + x) * 4;
    const [color, target] = [[...data.subarray(at, at + 4)], expected[i]].map(visible);
    const isNear = color.every((value, channel) => Math.abs(value - target[channel]) <= tolerance);
    ok(isNear, `quarter ${i} is ${color}, not ${target}`);
  }
}

/** Returns the visible part of a color, because the color of a transparent pixel does not matter. */
function visible([red, green, blue, alpha]: number[]): number[] {
  return [...[red, green, blue].map((value) => value * alpha / 255), alpha];
}

/** A grayscale PNG whose header declares `width` x `height` pixels, but which contains only the first 16 rows. */
export function hugePng(width: number, height: number, chunks: Uint8Array[] = []): Uint8Array<ArrayBuffer> {
  return grayPng(width, height, { rows: 16, chunks });
}

/** A black PNG with all its rows. */
export function wholePng(width: number, height: number): Uint8Array<ArrayBuffer> {
  return grayPng(width, height, { rows: height, chunks: [] });
}

function grayPng(width: number, height: number, { rows, chunks }: { rows: number; chunks: Uint8Array[] }) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8; // bits per sample
  const pixels = deflateSync(new Uint8Array(rows * (width + 1)));
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  const all = [pngChunk("IHDR", header), ...chunks, pngChunk("IDAT", pixels), pngChunk("IEND", Buffer.alloc(0))];
  return new Uint8Array(Buffer.concat([signature, ...all]));
}

/** Creates a PNG chunk with its length and checksum. */
export function pngChunk(type: string, content: Uint8Array): Uint8Array {
  const body = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const frame = Buffer.alloc(body.length + 8);
  frame.writeUInt32BE(content.length, 0);
  body.copy(frame, 4);
  frame.writeUInt32BE(crc32(body), body.length + 4);
  return frame;
}
