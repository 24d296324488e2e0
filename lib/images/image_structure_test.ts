import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { Buffer } from "node:buffer";
import {
  animatedWebp,
  jpegWithSegments,
  pngWithText,
  progressiveJpeg,
} from "../../tests/support/images/hostile_images.ts";
import { hugePng, pngChunk } from "../../tests/support/images/pictures.ts";
import type { ImageContentType } from "../services/services.ts";
import type { AppError } from "../errors/errors.ts";
import { requireOrdinaryStructure } from "./image_structure.ts";

const MEBIBYTE = 1024 * 1024;

/** Returns the limit that an image exceeds, or null if it is accepted. */
function refusalOf(bytes: Uint8Array, type: string): unknown {
  try {
    requireOrdinaryStructure(bytes, `image/${type}` as ImageContentType);
    return null;
  } catch (error) {
    return (error as AppError).data;
  }
}

/** A GIF with `count` comments and a table of four colors. */
function gifOfComments(count: number): Uint8Array {
  return Buffer.from(`GIF89a????\x81??${"?".repeat(12)}${"!\xfe\x02??\x01?\0".repeat(count)};`, "latin1");
}

function pngWithTexts(type: string, start: string, sizeBytes: number): Uint8Array {
  return hugePng(64, 16, [pngChunk(type, Buffer.concat([Buffer.from(start), Buffer.alloc(sizeBytes - start.length)]))]);
}

Deno.test("requireOrdinaryStructure accepts files at its limits and refuses larger ones", async () => {
  const chunk = pngChunk("tEXt", Buffer.from("a\0"));
  const pngWithChunks = (count: number) => hugePng(64, 16, Array(count - 3).fill(chunk)); // IHDR, IDAT and IEND are 3
  const bareJpeg = Uint8Array.of(0xff, 0xd8, 0xff, 0xd9);
  const cases: [type: string, atLimit: Uint8Array, beyond: Uint8Array, limit: { reason: string; max: number }][] = [
    ["jpeg", progressiveJpeg(64, 48, 100), progressiveJpeg(64, 48, 101), { reason: "scans", max: 100 }],
    ["jpeg", jpegWithSegments(bareJpeg, 10_000), jpegWithSegments(bareJpeg, 10_001), { reason: "parts", max: 10_000 }],
    ["webp", await animatedWebp(3_000), await animatedWebp(3_001), { reason: "frames", max: 3_000 }],
    ["png", pngWithChunks(10_000), pngWithChunks(10_001), { reason: "parts", max: 10_000 }],
    ["png", pngWithText(16), pngWithText(17), { reason: "textBytes", max: MEBIBYTE }],
    ["gif", gifOfComments(10_000), gifOfComments(10_001), { reason: "parts", max: 10_000 }],
  ];
  for (const [type, atLimit, beyond, limit] of cases) {
    strictEqual(refusalOf(atLimit, type), null, `${type}: ${limit.reason}`);
    deepStrictEqual(refusalOf(beyond, type), limit);
  }
});

Deno.test("only compressed text counts toward its limit", () => {
  const cases: [type: string, start: string, isRefused: boolean][] = [
    ["zTXt", "Comment\0\0", true],
    ["iTXt", "XML:com.adobe.xmp\0\x01\0\0\0", true],
    ["iTXt", "XML:com.adobe.xmp\0\0\0\0\0", false],
    ["tEXt", "Comment\0\x01", false],
    ["eXIf", "II*\0\x01", false],
  ];
  for (const [type, start, isRefused] of cases) {
    strictEqual(refusalOf(pngWithTexts(type, start, MEBIBYTE), "png"), null, type);
    strictEqual(
      refusalOf(pngWithTexts(type, start, MEBIBYTE + 1), "png") !== null,
      isRefused,
      `${type} ${start}`,
    );
  }
});

Deno.test("the scans of a JPEG count wherever they are", () => {
  const jpeg = progressiveJpeg(64, 48, 101);
  for (let offset = 0; offset < 8; offset++) {
    const shifted = new Uint8Array(offset + jpeg.length);
    shifted.set(jpeg, offset);
    deepStrictEqual(refusalOf(shifted.subarray(offset), "jpeg"), { reason: "scans", max: 100 }, `offset ${offset}`);
    const padded = Buffer.concat([jpeg.subarray(0, 2), Buffer.alloc(offset), jpeg.subarray(2)]);
    deepStrictEqual(refusalOf(new Uint8Array(padded), "jpeg"), { reason: "scans", max: 100 }, `${offset} more bytes`);
  }
  const scan = [0xff, 0xda, 0, 2];
  for (let length = 0; length < 5; length++) {
    const bytes = Uint8Array.from([0xff, 0xd8, ...Array(length).fill(0), ...Array(101).fill(scan).flat()]);
    strictEqual(refusalOf(bytes, "jpeg") !== null, true, `${length} bytes before the last scans`);
    strictEqual(refusalOf(bytes.subarray(0, -4), "jpeg"), null);
  }
});

Deno.test("bytes in a segment, in image data or after the end of a JPEG do not count as scans", () => {
  const scan = [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0];
  const scans = Array(101).fill(scan).flat();
  const size = scans.length + 2;
  const thumbnail = [0xff, 0xe1, size >> 8, size & 255, ...scans];
  const data = [0xff, 0, 0xda, 0xff, 0xff, 0, 0xff, 0xd0, 0xff, 0xd7, 0xff, 1];
  const bodies: [name: string, body: number[], isRefused: boolean][] = [
    ["in a segment", thumbnail, false],
    ["escaped", [...scan, ...Array(101).fill(data).flat()], false],
    ["after the end", [...scan, 0xff, 0xd9, ...scans], false],
    ["as many as allowed", scans.slice(scan.length), false],
    ["one too many", scans, true],
    ["after fill bytes and restart markers", Array(101).fill([...data, 0xff, 0xff, ...scan]).flat(), true],
    ["after stray bytes", Array(101).fill([1, 2, 3, ...scan]).flat(), true],
  ];
  for (const [name, body, isRefused] of bodies) {
    strictEqual(refusalOf(Uint8Array.from([0xff, 0xd8, ...body]), "jpeg") !== null, isRefused, name);
  }
});

Deno.test("scans count unless the first one has all components of a sequential frame", () => {
  const frame = (marker: number, components: number) => [0xff, marker, 0, 8, 8, 0, 16, 0, 16, components];
  const scan = (components: number) => [0xff, 0xda, 0, 3, components];
  const cases: [name: string, head: number[], isRefused: boolean][] = [
    ["baseline", [...frame(0xc0, 3), ...scan(3)], false],
    ["extended", [...frame(0xc1, 1), ...scan(1)], false],
    ["a scan for each component", [...frame(0xc0, 3), ...scan(1)], true],
    ["progressive", [...frame(0xc2, 3), ...scan(3)], true],
    ["arithmetic", [...frame(0xc9, 3), ...scan(3)], true],
    ["no frame", scan(3), true],
    ["a frame and a scan without content", [0xff, 0xc0, 0, 2, 0xff, 0xda, 0, 2], true],
  ];
  for (const [name, head, isRefused] of cases) {
    const bytes = Uint8Array.from([0xff, 0xd8, ...head, ...Array(100).fill(scan(3)).flat()]);
    strictEqual(refusalOf(bytes, "jpeg") !== null, isRefused, name);
  }
});

Deno.test("a broken structure is accepted, because the decoder refuses it", () => {
  const huge = [0xff, 0xff, 0xff, 0xff];
  const cases: [type: string, bytes: number[]][] = [
    ["jpeg", [0xff, 0xd8, 0xff, 0xe1, 0xff, 0xff]],
    ["jpeg", [0xff, 0xd8, 0xff, 0xe1, 0, 0, 0xff]],
    ["png", [...Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), ...huge, ...Buffer.from("zTXt")]],
    ["webp", [...Buffer.from("RIFF????WEBPANMF"), ...huge, 0]],
    ["gif", [...Buffer.from("GIF89a??"), 0xff, 0xff]],
    ["gif", [...Buffer.from("GIF89a????\0??"), 0x2c, 0, 0]],
  ];
  for (const [type, bytes] of cases) {
    for (let length = 0; length <= bytes.length; length++) {
      strictEqual(refusalOf(Uint8Array.from(bytes.slice(0, length)), type), null, `${type}, ${length} bytes`);
    }
  }
});

/** Files of the largest size that take very many steps to check, or a very long one. */
function slowFiles(): [name: string, type: string, bytes: Uint8Array][] {
  const whole = (start: number[], fill: number[]) => {
    const bytes = new Uint8Array(5 * MEBIBYTE);
    bytes.set(start);
    for (let at = start.length; at < bytes.length; at++) bytes[at] = fill[(at - start.length) % fill.length];
    return bytes;
  };
  const [jpeg, scan] = [[0xff, 0xd8], [0xff, 0xd8, 0xff, 0xda, 0, 2]];
  const png = [...Buffer.from("\x89PNG\r\n\x1a\n", "latin1")];
  const [webp, gif] = [[...Buffer.from("RIFF????WEBP")], [...Buffer.from("GIF89a????\0??")]];
  return [
    ["JPEG of 0xFF", "jpeg", whole(jpeg, [0xff])],
    ["JPEG of escaped 0xFF", "jpeg", whole(scan, [0xff, 0])],
    ["JPEG of restart markers", "jpeg", whole(scan, [0xff, 0xd0])],
    ["JPEG of zeros", "jpeg", whole(jpeg, [0])],
    ["JPEG of empty segments", "jpeg", whole(jpeg, [0xff, 0xe0, 0, 2])],
    ["PNG of empty chunks", "png", whole(png, [0, 0, 0, 0, ...Buffer.from("iTXt????")])],
    ["PNG of one text", "png", whole([...png, 0, 0x4f, 0xff, 0, ...Buffer.from("iTXt")], [1])],
    ["WebP of empty chunks", "webp", whole(webp, [...Buffer.from("ANMF"), 0, 0, 0, 0])],
    ["GIF of one block of tiny pieces", "gif", whole([...gif, 0x21, 0xfe], [1])],
    ["GIF of empty comments", "gif", whole(gif, [0x21, 0xfe, 0])],
  ];
}

function timed(act: () => unknown): number {
  const startedAt = performance.now();
  act();
  return performance.now() - startedAt;
}

/** Looks at each byte once, which takes about 4 ms for 5 MiB. */
function scan(bytes: Uint8Array): number {
  let zeros = 0;
  for (let at = 0; at < bytes.length; at++) zeros += bytes[at] === 0 ? 1 : 0;
  return zeros;
}

for (const [name, type, bytes] of slowFiles()) {
  Deno.test(`a check of a ${name} takes time in proportion to its bytes`, () => {
    let [check, bare] = [Infinity, Infinity];
    // The shortest of several: anything else that the machine does can only make them longer. A search with indexOf at
    // each byte takes fifty times as long as reading them.
    for (let i = 0; i < 60 && (i < 3 || check >= 10 * bare); i++) {
      check = Math.min(check, timed(() => refusalOf(bytes, type)));
      bare = Math.min(bare, timed(() => scan(bytes)));
    }
    ok(check < 10 * bare, `${check} ms, and ${bare} ms only to read the bytes`);
  });
}
