import { Buffer } from "node:buffer";
import { deflateSync } from "node:zlib";
import { jpegSegment } from "./hostile_images.ts";
import { type Color, HEIGHT, pngChunk, QUARTERS, quarters, WIDTH } from "./pictures.ts";

/** A file with a fault. Browsers show it with the colors of its quarters, unless it lacks pixels. */
export interface FaultyImage {
  name: string;
  type: "jpeg" | "png" | "webp" | "gif";
  bytes: Uint8Array;
  /** By default those of `QUARTERS`. */
  colors?: Color[];
  lacksPixels?: boolean;
}

const EOI = Buffer.from([0xff, 0xd9]);
const JUNK = Buffer.from("What a program has left behind");
/** The first chunk of a PNG ends here. */
const IHDR_END = 33;

/** Files as phones, scanners, webcams, messengers and broken downloads leave them. */
export async function faultyImages(): Promise<FaultyImage[]> {
  return [
    ...await faultyJpegs(),
    ...faultyScans(),
    ...await faultyPngs(),
    ...await faultyGifs(),
    ...smallFrames(),
    ...await faultyWebps(),
  ];
}

async function faultyJpegs(): Promise<FaultyImage[]> {
  const plain = await quarters().jpeg({ quality: 90 }).toBuffer();
  // libvips writes no JFIF segment.
  const jfif = (major: number) =>
    segment(0xe0, Buffer.from(["JFIF\0", major, 1, 0, 0, 1, 0, 1, 0, 0].flatMap(bytesIn)));
  const jpeg = insert(plain, 2, jfif(1));
  const progressive = await quarters().jpeg({ progressive: true }).toBuffer();
  const tables = jpeg.indexOf(Buffer.from([0xff, 0xdb]));
  const scan = scanStart(jpeg);
  const beforeTables = (bytes: Uint8Array) => insert(jpeg, tables, bytes);
  const profile = (part: number, content: Uint8Array) =>
    segment(0xe2, Buffer.concat([Buffer.from(`ICC_PROFILE\0\x01${String.fromCharCode(part)}`, "latin1"), content]));
  const withoutSpectrum = Buffer.from(jpeg).fill(0, scan - 3, scan);
  const shown: Record<string, Uint8Array> = {
    "zeros in the scan header": withoutSpectrum,
    "two bytes between segments": beforeTables(Buffer.alloc(2)),
    "fill bytes before a segment": beforeTables(Buffer.alloc(5, 0xff)),
    "JFIF 2.1": insert(plain, 2, jfif(2)),
    "JFIF 0.0": insert(plain, 2, jfif(0)),
    "no JFIF": plain,
    "an unknown color transform": beforeTables(segment(0xee, Buffer.from("Adobe\0d\0\0\0\0\x09", "latin1"))),
    "broken EXIF": beforeTables(segment(0xe1, Buffer.from("Exif\0\0II*\0broken and without an end"))),
    "empty EXIF": beforeTables(segment(0xe1, Buffer.from("Exif\0\0"))),
    "broken XMP": beforeTables(segment(0xe1, Buffer.from("http://ns.adobe.com/xap/1.0/\0<x"))),
    "a broken color profile": beforeTables(profile(1, JUNK)),
    "one of three parts of a color profile": beforeTables(profile(3, Buffer.alloc(300))),
    "bytes before the end": insert(jpeg, jpeg.length - 2, JUNK),
    "zeros after the end": Buffer.concat([jpeg, Buffer.alloc(100)]),
    "another JPEG after the end": Buffer.concat([jpeg, jpeg]),
    "half a JPEG after the end": Buffer.concat([jpeg, half(jpeg)]),
    "no end": jpeg.subarray(0, -2),
    "half an end": jpeg.subarray(0, -1),
    "zeros for its end": Buffer.concat([jpeg.subarray(0, -2), Buffer.alloc(100)]),
    "progressive, no end": progressive.subarray(0, -2),
  };
  const cut: Record<string, Uint8Array> = {
    "cut in half": half(jpeg),
    "cut in half, with an end": Buffer.concat([half(jpeg), EOI]),
    "cut in half, with another JPEG": Buffer.concat([half(jpeg), jpeg]),
    "cut before its last byte": jpeg.subarray(0, -3),
    "cut in half, zeros in the scan header": half(withoutSpectrum),
    "cut after its header": jpeg.subarray(0, scan),
    "progressive, cut in half": half(progressive),
    "progressive, cut in half, with an end": Buffer.concat([half(progressive), EOI]),
  };
  return imagesOf("jpeg", shown, cut);
}

/** Faults at the restart markers, which let a decoder go on after lost bytes. */
function faultyScans(): FaultyImage[] {
  const grays: Color[] = [20, 90, 160, 230].map((gray) => [gray, gray, gray, 255]);
  const jpeg = grayJpeg(grays.map(([gray]) => gray));
  const marker = jpeg.indexOf(Buffer.from([0xff, 0xd1]));
  const wrong = Buffer.from(jpeg);
  wrong[marker + 1] = 0xd2;
  const shown = {
    "restart markers": jpeg,
    "six bytes before a restart marker": insert(jpeg, marker, Buffer.alloc(6)),
    "a restart marker with a wrong number": wrong,
    "no end after restart markers": jpeg.subarray(0, -2),
  };
  const cut = {
    "cut at a restart marker": half(jpeg),
    "cut at a restart marker, with an end": Buffer.concat([half(jpeg), EOI]),
  };
  return imagesOf("jpeg", shown, cut).map((image) => ({ ...image, colors: grays }));
}

async function faultyPngs(): Promise<FaultyImage[]> {
  const png = await quarters().png().toBuffer();
  const afterHeader = (...chunks: Uint8Array[]) => insert(png, IHDR_END, Buffer.concat(chunks));
  const pixels = png.indexOf("IDAT") - 4;
  const withBadChecksum = (chunk: Uint8Array) =>
    Buffer.concat([chunk.subarray(0, -1), Buffer.from([chunk.at(-1)! ^ 1])]);
  const text = pngChunk("tEXt", Buffer.from("Comment\0text"));
  const chunks: [type: string, content: string][] = [
    ["pHYs", "ab"],
    ["tIME", "\0\0ccccc"],
    ["sRGB", "\x09"],
    ["gAMA", "\0\0\0\0"],
    ["cHRM", "\0".repeat(32)],
    ["iCCP", "name\0\0broken"],
    ["zTXt", "name\0\0broken"],
    ["iTXt", "name"],
    ["tEXt", ""],
    ["tRNS", "abc"],
    ["bKGD", "a"],
    ["eXIf", "broken"],
    ["abCd", "unknown"],
  ];
  const shown: Record<string, Uint8Array> = {
    "a wrong checksum of a text": afterHeader(withBadChecksum(text)),
    "a wrong checksum of its gamma": afterHeader(withBadChecksum(pngChunk("gAMA", Buffer.from([0, 0, 0xb1, 0x8f])))),
    "a wrong checksum of its end": withBadChecksum(png),
    "a wrong checksum after its pixels": insert(png, png.length - 12, withBadChecksum(text)),
    "a color profile of zeros": afterHeader(
      pngChunk("iCCP", Buffer.concat([Buffer.from("name\0\0"), deflateSync(Buffer.alloc(200))])),
    ),
    ...Object.fromEntries(
      chunks.map((
        [type, content],
      ) => [`a broken ${type}`, afterHeader(pngChunk(type, Buffer.from(content, "latin1")))]),
    ),
    "two texts of one name": afterHeader(text, text),
    "an empty chunk before its pixels": insert(png, pixels, pngChunk("IDAT", Buffer.alloc(0))),
    "more bytes after its pixels": insert(png, png.length - 12, pngChunk("IDAT", JUNK)),
    "bytes after the end": Buffer.concat([png, JUNK]),
    "no end": png.subarray(0, -12),
    "half an end": png.subarray(0, -6),
  };
  return imagesOf("png", shown, { "cut in half": half(png), "cut before its last bytes": png.subarray(0, -40) });
}

async function faultyGifs(): Promise<FaultyImage[]> {
  const gif = await quarters().gif().toBuffer();
  const beforeEnd = (latin1: string) => insert(gif, gif.length - 1, Buffer.from(latin1, "latin1"));
  const shown = {
    "no end": gif.subarray(0, -1),
    "bytes after the end": Buffer.concat([gif, JUNK]),
    "zeros before the end": beforeEnd("\0".repeat(5)),
    "an unknown extension": beforeEnd("!\x99\x02ab\0"),
    "a comment without an end": beforeEnd("!\xfe\xc8ab").subarray(0, -1),
    "a second frame without an end": beforeEnd(",\0\0\0\0\x40\0\x30\0\0\x08\x32abc").subarray(0, -1),
    "an older version": Buffer.from(gif.toString("latin1").replace("GIF89a", "GIF87a"), "latin1"),
  };
  return imagesOf("gif", shown, { "cut in half": half(gif) });
}

/** GIFs whose first frame fills one quarter of the canvas and leaves the others empty, without a transparent color. */
function smallFrames(): FaultyImage[] {
  const [red, green, blue] = QUARTERS[0];
  const colors = [red, green, blue, 0, 0, 255];
  const corners = [[0, 0], [WIDTH / 2, 0], [WIDTH / 2, HEIGHT / 2], [0, HEIGHT / 2]];
  const pixels = Array<number>(WIDTH * HEIGHT / 4).fill(0);
  return corners.map(([left, top], quarter) => {
    const bytes = Buffer.concat([
      Buffer.from("GIF89a"),
      Buffer.from([WIDTH, 0, HEIGHT, 0, 0x80, 1, 0, ...colors]),
      Buffer.from([0x2c, left, 0, top, 0, WIDTH / 2, 0, HEIGHT / 2, 0, 0, ...lzwOf(pixels), 0x3b]),
    ]);
    const shown = QUARTERS.map((_, i): Color => i === quarter ? QUARTERS[0] : [0, 0, 0, 0]);
    return { name: `gif: a frame at ${left}, ${top} of its canvas`, type: "gif", bytes, colors: shown };
  });
}

/**
 * Encodes pixels of up to four colors in three bits each. It clears the table of codes before that gets longer ones.
 */
export function lzwOf(pixels: number[]): number[] {
  const [clear, end] = [4, 5];
  const codes = [...pixels.flatMap((color, i) => i % 2 === 0 ? [clear, color] : [color]), end];
  const bits = codes.map((code) => [...code.toString(2).padStart(3, "0")].reverse().join("")).join("");
  const bytes = bits.match(/.{1,8}/g)!.map((byte) => parseInt([...byte].reverse().join(""), 2));
  const blocks = Array.from({ length: Math.ceil(bytes.length / 255) }, (_, i) => bytes.slice(i * 255, (i + 1) * 255));
  return [2, ...blocks.flatMap((block) => [block.length, ...block]), 0];
}

async function faultyWebps(): Promise<FaultyImage[]> {
  const webp = await quarters().webp().toBuffer();
  const shown = {
    "bytes after the end": Buffer.concat([webp, JUNK]),
    "one zero after the end": Buffer.concat([webp, Buffer.alloc(1)]),
  };
  return imagesOf("webp", shown, { "cut in half": half(webp) });
}

function imagesOf(
  type: FaultyImage["type"],
  shown: Record<string, Uint8Array>,
  cut: Record<string, Uint8Array>,
): FaultyImage[] {
  return [
    ...Object.entries(shown).map(([name, bytes]) => ({ name: `${type}: ${name}`, type, bytes })),
    ...Object.entries(cut).map(([name, bytes]) => ({ name: `${type}: ${name}`, type, bytes, lacksPixels: true })),
  ];
}

/** A JPEG whose quarters are gray. It has a restart marker after each block of 8 x 8 pixels. */
function grayJpeg([topLeft, topRight, bottomRight, bottomLeft]: number[]): Buffer {
  const side = WIDTH / 8;
  const row = (left: number, right: number) => Array.from({ length: side }, (_, x) => x < side / 2 ? left : right);
  const grays = Array.from(
    { length: side },
    (_, y) => y < side / 2 ? row(topLeft, topRight) : row(bottomLeft, bottomRight),
  );
  const blocks = grays.flat().map((gray, i) => [...(i === 0 ? [] : [0xff, 0xd0 + (i - 1) % 8]), ...plainBlock(gray)]);
  const parts = [
    [0xff, 0xd8],
    jpegSegment(0xdb, [0, ...Array(64).fill(8)]),
    jpegSegment(0xc0, [8, 0, WIDTH, 0, WIDTH, 1, 1, 0x11, 0]),
    jpegSegment(0xc4, [0x00, 0, 0, 0, 9, ...Array(12).fill(0), 0, 1, 2, 3, 4, 5, 6, 7, 8]), // four bits for each length
    jpegSegment(0xc4, [0x10, 1, ...Array(15).fill(0), 0]), // a zero means that there are no coefficients
    jpegSegment(0xdd, [0, 1]),
    jpegSegment(0xda, [1, 1, 0, 0, 63, 0]),
    ...blocks,
    [...EOI],
  ];
  return Buffer.concat(parts.map((part) => Buffer.from(part)));
}

/** The difference to a middle gray: its length in bits, then its bits. Source: ITU T.81, F.1.2.1. */
function plainBlock(gray: number): number[] {
  const difference = gray - 128;
  const length = difference === 0 ? 0 : Math.floor(Math.log2(Math.abs(difference))) + 1;
  const amplitude = difference < 0 ? difference + 2 ** length - 1 : difference;
  const bits = `${length.toString(2).padStart(4, "0")}${
    length > 0 ? amplitude.toString(2).padStart(length, "0") : ""
  }0`;
  return bits.match(/.{1,8}/g)!.map((byte) => parseInt(byte.padEnd(8, "1"), 2))
    .flatMap((byte) => byte === 0xff ? [byte, 0] : [byte]);
}

function scanStart(jpeg: Buffer): number {
  const header = jpeg.indexOf(Buffer.from([0xff, 0xda]));
  return header + 2 + jpeg.readUInt16BE(header + 2);
}

function segment(marker: number, content: Uint8Array): Buffer {
  return Buffer.from(jpegSegment(marker, [...content]));
}

function bytesIn(value: string | number): number[] {
  return typeof value === "number" ? [value] : [...Buffer.from(value)];
}

function insert(bytes: Buffer, at: number, inserted: Uint8Array): Buffer {
  return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at)]);
}

function half(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.length / 2);
}
