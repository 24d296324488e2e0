import { Buffer } from "node:buffer";
import { crc32, deflateSync } from "node:zlib";
import { type ColorSpace, type Gamut, iccProfile, isGamut, type Point } from "./icc_profile.ts";
import { pngChunks, viewOf } from "./image_structure.ts";

const D65: Point = [0.3127, 0.329];
const C: Point = [0.31, 0.316];
/** (x / 1.055 + 0.055 / 1.055) ^ 2.4, or x / 12.92 below 0.04045. Source: IEC 61966-2-1. */
const SRGB_CURVE = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045];
/** What screens show of videos, in browsers too. Source: ITU-R BT.1886. */
const VIDEO_CURVE = [2.4];
const SRGB: ColorSpace = { primaries: [[0.64, 0.33], [0.3, 0.6], [0.15, 0.06]], white: D65, curve: SRGB_CURVE };

/** The primaries and white points by their numbers in cICP. Source: ITU-T H.273, table 2. */
const GAMUTS: Record<number, Gamut> = {
  1: SRGB,
  4: { primaries: [[0.67, 0.33], [0.21, 0.71], [0.14, 0.08]], white: C },
  5: { primaries: [[0.64, 0.33], [0.29, 0.6], [0.15, 0.06]], white: D65 },
  6: { primaries: [[0.63, 0.34], [0.31, 0.595], [0.155, 0.07]], white: D65 },
  7: { primaries: [[0.63, 0.34], [0.31, 0.595], [0.155, 0.07]], white: D65 },
  8: { primaries: [[0.681, 0.319], [0.243, 0.692], [0.145, 0.049]], white: C },
  9: { primaries: [[0.708, 0.292], [0.17, 0.797], [0.131, 0.046]], white: D65 },
  11: { primaries: [[0.68, 0.32], [0.265, 0.69], [0.15, 0.06]], white: [0.314, 0.351] },
  12: { primaries: [[0.68, 0.32], [0.265, 0.69], [0.15, 0.06]], white: D65 },
  22: { primaries: [[0.63, 0.34], [0.295, 0.605], [0.155, 0.077]], white: D65 },
};
/** The curves by their numbers in cICP, without those of HDR. Source: ITU-T H.273, table 3. */
const CURVES: Record<number, number[]> = {
  1: VIDEO_CURVE,
  4: [2.2],
  5: [2.8],
  6: VIDEO_CURVE,
  7: [1 / 0.45, 1 / 1.1115, 0.1115 / 1.1115, 1 / 4, 0.0913],
  8: [1],
  11: VIDEO_CURVE,
  13: SRGB_CURVE,
  14: VIDEO_CURVE,
  15: VIDEO_CURVE,
  17: [2.6, (52.37 / 48) ** (1 / 2.6), 0, 0, 0],
};
/** Browsers take the usual gamma for that of sRGB, and what is at most a twentieth from it. */
const [USUAL_GAMMA, NEAR] = [1 / 2.2, 0.05];
/** Beyond it, everything but white is black. Larger numbers do not fit into a profile. */
const MAX_EXPONENT = 10_000;

/** The chunks that say what samples mean. */
const COLOR_CHUNKS = ["cICP", "iCCP", "sRGB", "gAMA", "cHRM"];
/** The first chunk of a PNG, and the byte in it whose second bit says that there are colors. */
const [IHDR_START, IHDR_END, COLOR_TYPE, HAS_COLOR] = [8, 33, 25, 2];

/**
 * Replaces what a PNG says of its colors by a color profile, which is all that libvips reads. Returns null if there is
 * nothing to replace.
 */
export function withColorProfile(png: Uint8Array): Uint8Array | null {
  const chunks = [...chunksBeforePixels(png)];
  const space = colorSpaceOf(new Map(chunks.toReversed().map(({ type, content }) => [type, content])));
  if (space === null) return null;
  const profile = iccProfile(space, { isGray: (png[COLOR_TYPE] & HAS_COLOR) === 0 });
  const kept = chunks.filter(({ type }) => !COLOR_CHUNKS.includes(type)).map(({ whole }) => whole);
  const rest = png.subarray(chunks.reduce((end, { whole }) => end + whole.length, IHDR_END));
  return Buffer.concat([png.subarray(0, IHDR_END), profileChunk(profile), ...kept, rest]);
}

interface WholeChunk {
  type: string;
  content: Uint8Array;
  /** The chunk with its length and its checksum. */
  whole: Uint8Array;
}

/** Yields the chunks between the header and the pixels, up to a broken one. */
function* chunksBeforePixels(png: Uint8Array): Generator<WholeChunk> {
  let at = IHDR_START;
  for (const { type, content } of pngChunks(png)) {
    const whole = png.subarray(at, at + content.length + 12);
    at += whole.length;
    if (type === "IDAT" || viewOf(whole).getUint32(whole.length - 4) !== crc32(whole.subarray(4, -4))) return;
    if (type !== "IHDR") yield { type, content, whole };
  }
}

/**
 * What browsers take for the meaning of the samples. Null for sRGB, and where a profile says it. Source: PNG, third
 * edition, 4.3, which says what goes before what; Chromium.
 */
function colorSpaceOf(chunks: Map<string, Uint8Array>): ColorSpace | null {
  const coded = codedSpace(chunks.get("cICP"));
  if (coded !== null) return coded;
  if (chunks.has("iCCP") || isSrgb(chunks.get("sRGB"))) return null;
  const gamma = gammaIn(chunks.get("gAMA"));
  if (gamma === null) return null;
  const curve = [Math.min(1 / gamma, MAX_EXPONENT)];
  const gamut = gamutIn(chunks.get("cHRM"));
  if (gamut !== null) return isGamut(gamut) ? { ...gamut, curve } : null;
  return Math.abs(gamma / USUAL_GAMMA - 1) <= NEAR ? null : { ...SRGB, curve };
}

/** Returns null unless the samples are those of the colors, in their full range. */
function codedSpace(cicp: Uint8Array | undefined): ColorSpace | null {
  if (cicp === undefined || cicp[2] !== 0 || cicp[3] !== 1) return null;
  const [gamut, curve] = [GAMUTS[cicp[0]], CURVES[cicp[1]]];
  return gamut === undefined || curve === undefined ? null : { ...gamut, curve };
}

/** Whether the chunk names one of the four ways to render colors. */
function isSrgb(chunk: Uint8Array | undefined): boolean {
  return chunk?.length === 1 && chunk[0] <= 3;
}

/** PNG stores numbers in hundred thousandths. */
function gammaIn(chunk: Uint8Array | undefined): number | null {
  const gamma = chunk?.length === 4 ? viewOf(chunk).getUint32(0) : 0;
  return gamma === 0 ? null : gamma / 100_000;
}

function gamutIn(chunk: Uint8Array | undefined): Gamut | null {
  if (chunk?.length !== 32) return null;
  const numbers = Array.from({ length: 8 }, (_, i) => viewOf(chunk).getUint32(i * 4) / 100_000);
  const [white, ...primaries] = [0, 2, 4, 6].map((i) => numbers.slice(i, i + 2) as Point);
  return { white, primaries: primaries as Gamut["primaries"] };
}

function profileChunk(profile: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from("iCCPcolor\0\0"), deflateSync(profile)]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(body.length - 4);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
}
