import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { Buffer } from "node:buffer";
import sharp, { type Sharp } from "sharp";
import { AppError } from "../errors/errors.ts";
import type { ImageContentType, ImageCrop } from "../services/services.ts";
import { hostileImages } from "../../tests/support/images/hostile_images.ts";
import { createTestConverter, toWebpOf } from "../../tests/support/images/test_converter.ts";
import {
  animation,
  assertQuarters,
  type Color,
  colorsOfInks,
  GREEN,
  HEIGHT,
  hugePng,
  PRINTABLE,
  QUARTERS,
  quarters,
  RED,
  UPRIGHT,
  WHITE,
  WIDTH,
} from "../../tests/support/images/pictures.ts";

const MAX_PIXELS = 40_000_000;
const TYPES = ["jpeg", "png", "webp", "gif"] as const;
const convert = toWebpOf(createTestConverter({ maxPixels: MAX_PIXELS }));

async function toWebp(source: Sharp | Uint8Array, type: string, maxDimension = 1024) {
  const bytes = new Uint8Array(source instanceof Uint8Array ? source : await source.toBuffer());
  return await convert(bytes, { contentType: `image/${type}` as ImageContentType, maxDimension });
}

function isInvalid(error: unknown): boolean {
  return error instanceof AppError && error.code === "IMAGE_INVALID";
}

Deno.test("toWebp converts each of the four types", async () => {
  for (const type of TYPES) {
    const { bytes, width, height } = await toWebp(quarters().toFormat(type), type);
    const header = await sharp(bytes).metadata();
    deepStrictEqual([header.format, header.width, header.height], ["webp", WIDTH, HEIGHT]);
    deepStrictEqual([width, height], [WIDTH, HEIGHT]);
    await assertQuarters(bytes);
  }
});

Deno.test("toWebp fits the longest side to the limit and never enlarges", async () => {
  const cases: [size: [number, number], maxDimension: number, expected: [number, number]][] = [
    [[200, 100], 64, [64, 32]],
    [[100, 200], 64, [32, 64]],
    [[64, 64], 64, [64, 64]],
    [[65, 64], 64, [64, 63]],
    [[1, 1], 64, [1, 1]],
    [[1, 20_000], 64, [1, 64]],
    [[2, 16_390], 20_000, [2, 16_383]], // the longest side of a WebP
  ];
  for (const [[width, height], maxDimension, expected] of cases) {
    const source = sharp({ create: { width, height, channels: 3, background: "#c33" } }).png();
    const image = await toWebp(source, "png", maxDimension);
    const header = await sharp(image.bytes).metadata();
    deepStrictEqual([image.width, image.height], expected);
    deepStrictEqual([header.width, header.height], expected);
  }
});

Deno.test("toWebp crops an image to the chosen square, upright and without enlarging it", async () => {
  const [red, green, white, blue] = QUARTERS;
  const cases: [size: [number, number], crop: ImageCrop, expected: Color[]][] = [
    [[80, 40], "start", [red, red, blue, blue]],
    [[80, 40], "center", QUARTERS],
    [[80, 40], "end", [green, green, white, white]],
    [[40, 80], "start", [red, green, green, red]],
    [[40, 80], "end", [blue, white, white, blue]],
  ];
  for (const [size, crop, expected] of cases) {
    for (const [maxDimension, side] of [[1024, 40], [16, 16]]) {
      const bytes = new Uint8Array(await quarters(QUARTERS, ...size).png().toBuffer());
      const image = await convert(bytes, { contentType: "image/png", maxDimension, crop, variantWidths: [8] });
      const { width, height, variants: [small] } = image;
      deepStrictEqual([width, height, small.width, small.height], [side, side, 8, 8]);
      await assertQuarters(image.bytes, expected, 40);
    }
  }
  const rotated = new Uint8Array(await quarters(QUARTERS, 80, 40).withMetadata({ orientation: 6 }).jpeg().toBuffer());
  const upright = await convert(rotated, { contentType: "image/jpeg", maxDimension: 1024, crop: "start" });
  await assertQuarters(upright.bytes, [blue, red, red, blue], 40);
});

Deno.test("toWebp applies every EXIF orientation and keeps no metadata", async () => {
  for (const [i, expected] of UPRIGHT.entries()) {
    const source = quarters().withExif({ IFD0: { Copyright: "Someone" } }).withMetadata({ orientation: i + 1 });
    const { bytes, width, height } = await toWebp(source.jpeg(), "jpeg", 32);
    deepStrictEqual([width, height], i < 4 ? [32, 24] : [24, 32], `orientation ${i + 1}`);
    await assertQuarters(bytes, expected, 30);
    const { exif, icc, xmp, orientation } = await sharp(bytes).metadata();
    deepStrictEqual([exif, icc, xmp, orientation], [undefined, undefined, undefined, undefined]);
  }
});

Deno.test("toWebp keeps each pixel of pixel art, which has few pixels or few colors", async () => {
  const colors = [[255, 0, 0], [255, 255, 255], [0, 0, 0], [0, 90, 255]];
  for (const [width, height] of [[16, 16], [48, 48], [300, 200]]) {
    const pixels = Array.from({ length: width * height }, (_, i) => colors[(i * 7 + Math.floor(i / width) * 3) % 4]);
    const source = sharp(Buffer.from(pixels.flat()), { raw: { width, height, channels: 3 } });
    const { bytes } = await toWebp(source.png(), "png");
    deepStrictEqual(await sharp(bytes).removeAlpha().raw().toBuffer(), Buffer.from(pixels.flat()), `${width}`);
  }
});

Deno.test("toWebp keeps a photo small", async () => {
  const noise = sharp({
    create: { width: 300, height: 200, channels: 3, background: "#888", noise: { type: "gaussian", sigma: 30 } },
  });
  ok((await toWebp(noise.png(), "png")).bytes.length < 40_000);
});

Deno.test("toWebp keeps transparency", async () => {
  const colors: Color[] = [RED, [40, 180, 40, 128], WHITE, [0, 0, 0, 0]];
  for (const type of ["png", "webp"] as const) {
    const { bytes } = await toWebp(quarters(colors).toFormat(type), type);
    await assertQuarters(bytes, colors);
  }
  const gif = await toWebp(quarters([RED, GREEN, WHITE, [0, 0, 0, 0]]).gif(), "gif");
  await assertQuarters(gif.bytes, [RED, GREEN, WHITE, [0, 0, 0, 0]]);
});

Deno.test("toWebp converts every pixel format to sRGB", async () => {
  const gray = quarters([RED, RED, RED, RED].map(() => [128, 128, 128, 255] as Color));
  const cases: [Sharp, "jpeg" | "png", Color[]?, number?][] = [
    [quarters(PRINTABLE).removeAlpha().withIccProfile("cmyk").jpeg({ quality: 95 }), "jpeg", PRINTABLE, 24],
    [
      quarters(PRINTABLE).removeAlpha().toColorspace("cmyk").jpeg({ quality: 95 }),
      "jpeg",
      await colorsOfInks(PRINTABLE),
      24,
    ],
    [quarters().toColorspace("rgb16").png(), "png"],
    [quarters().withIccProfile("p3").jpeg({ quality: 95 }), "jpeg"],
    [quarters().toColorspace("rgb16").withIccProfile("p3").png(), "png"],
    [quarters().toColorspace("rgb16").withIccProfile("srgb").png(), "png"],
    [quarters().png({ palette: true }), "png"],
    [quarters().jpeg({ progressive: true }), "jpeg"],
    [quarters().png({ progressive: true }), "png"],
    [gray.clone().removeAlpha().toColorspace("b-w").jpeg(), "jpeg", Array(4).fill([128, 128, 128, 255])],
    [gray.clone().toColorspace("b-w").png(), "png", Array(4).fill([128, 128, 128, 255])],
    [gray.clone().toColorspace("grey16").png(), "png", Array(4).fill([128, 128, 128, 255])],
  ];
  for (const [source, type, expected, tolerance] of cases) {
    await assertQuarters((await toWebp(source, type)).bytes, expected, tolerance);
  }
});

Deno.test("toWebp converts the first frame of an animation", async () => {
  for (const type of ["gif", "webp"] as const) {
    const { bytes, width, height } = await toWebp(animation().toFormat(type), type);
    deepStrictEqual([width, height, (await sharp(bytes).metadata()).pages], [WIDTH, HEIGHT, undefined]);
    await assertQuarters(bytes);
  }
});

Deno.test("toWebp refuses wrongly declared files, and other formats whatever type they declare", async () => {
  for (const type of TYPES) {
    const bytes = await quarters().toFormat(type).toBuffer();
    for (const other of TYPES.filter((name) => name !== type)) await rejects(toWebp(bytes, other), isInvalid);
  }
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';
  for (const bytes of [await quarters().tiff().toBuffer(), await quarters().avif().toBuffer(), Buffer.from(svg)]) {
    for (const type of [...TYPES, "tiff", "heif", "svg"]) await rejects(toWebp(bytes, type), isInvalid);
  }
});

Deno.test("toWebp refuses images with more pixels than the limit", async () => {
  const source = await sharp({ create: { width: 30, height: 20, channels: 3, background: "red" } }).png().toBuffer();
  const options = { contentType: "image/png", maxDimension: 9 } as const;
  const bytes = new Uint8Array(source);
  strictEqual((await toWebpOf(createTestConverter({ maxPixels: 600 }))(bytes, options)).width, 9);
  await rejects(toWebpOf(createTestConverter({ maxPixels: 599 }))(bytes, options), isInvalid);
});

Deno.test("a PNG of 65,000 x 65,000 pixels is refused without being decoded", async () => {
  const bomb = hugePng(65_000, 65_000);
  const rssBefore = Deno.memoryUsage().rss;
  // Check the cause: decoding would fail too, because the file contains only the first rows.
  await rejects(toWebp(bomb, "png"), ({ cause }) => /exceeds pixel limit/.test(cause));
  ok(bomb.length < 10_000);
  ok(Deno.memoryUsage().rss - rssBefore < 50 * 1024 * 1024);
});

Deno.test("a broken file is either refused or converted to a valid image", async () => {
  for (const type of TYPES) {
    const whole = await quarters().toFormat(type).toBuffer();
    const truncated = Array.from({ length: 16 }, (_, i) => whole.subarray(0, whole.length * i / 16));
    const flipped = Array.from({ length: 50 }, (_, i) => {
      const bytes = Buffer.from(whole);
      bytes[(i * 7919) % whole.length] ^= 1 << (i % 8);
      return bytes;
    });
    for (const broken of [...truncated, ...flipped]) {
      const image = await toWebp(broken, type).catch(assertInvalid);
      if (image !== undefined) strictEqual((await sharp(image.bytes).metadata()).width, image.width);
    }
  }
  await rejects(toWebp(new Uint8Array(0), "png"), isInvalid);
});

function assertInvalid(error: unknown): undefined {
  ok(isInvalid(error), String(error));
}

Deno.test("an image cut in half is refused", async () => {
  for (const type of TYPES) {
    const whole = await sharp({ create: { width: 300, height: 300, channels: 3, background: "red" } })
      .composite([{ input: await quarters().png().toBuffer() }]).toFormat(type).toBuffer();
    await rejects(toWebp(whole.subarray(0, whole.length / 2), type), isInvalid, type);
  }
});

Deno.test("a conversion does not block the event loop", async () => {
  const source = await sharp({ create: { width: 4000, height: 3000, channels: 3, background: "#963" } }).jpeg()
    .toBuffer();
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  await Promise.all(Array.from({ length: 6 }, () => toWebp(source, "jpeg", 2560)));
  clearInterval(timer);
  // If each image blocked it, the event loop would get about two turns per image.
  ok(turns > 50, `the event loop got ${turns} turns`);
});

Deno.test("the pixel limit is lower for interlaced images with many bytes per pixel", async () => {
  const interlaced = await quarters().toColorspace("rgb16").png({ progressive: true }).toBuffer(); // 8 bytes per pixel
  const options = { contentType: "image/png", maxDimension: 9 } as const;
  const convert = (maxPixels: number) =>
    toWebpOf(createTestConverter({ maxPixels }))(new Uint8Array(interlaced), options);
  strictEqual((await convert(WIDTH * HEIGHT * 8 / 6)).width, 9);
  await rejects(convert(WIDTH * HEIGHT * 8 / 6 - 1), isInvalid);
});

Deno.test("toWebp refuses a hostile file in less time than it takes to convert a photo", async (t) => {
  const photo = await quarters(undefined, 4000, 3000).jpeg().toBuffer();
  const photoMs = await fastest(() => toWebp(photo, "jpeg"));
  for (const { name, type, bytes } of await hostileImages()) {
    await t.step(name, async () => {
      const refusalMs = await fastest(() => rejects(toWebp(bytes, type), isInvalid));
      ok(refusalMs < photoMs, `${refusalMs} ms, and a photo takes ${photoMs} ms`);
    });
  }
});

Deno.test("the decoder ignores the scans after one that has all components, so they take no time", async () => {
  const photo = await quarters(undefined, 4000, 3000).jpeg().toBuffer();
  const image = await quarters(undefined, 300, 200).jpeg().toBuffer();
  const scan = Buffer.of(0xff, 0xda, 0, 12, 3, 1, 0, 2, 17, 3, 17, 0, 63, 0);
  const scans = Buffer.concat([image.subarray(0, -2), ...Array(100_000).fill(scan), image.subarray(-2)]);
  const photoMs = await fastest(() => toWebp(photo, "jpeg"));
  const imageMs = await fastest(async () => strictEqual((await toWebp(scans, "jpeg")).width, 300));
  ok(imageMs < photoMs, `${imageMs} ms, and a photo takes ${photoMs} ms`);
});

/** Returns the shortest of five times, because a busy machine slows down some of them. */
async function fastest(act: () => Promise<unknown>): Promise<number> {
  let bestMs = Infinity;
  for (let i = 0; i < 5; i++) {
    const startedAt = performance.now();
    await act();
    bestMs = Math.min(bestMs, performance.now() - startedAt);
  }
  return bestMs;
}
