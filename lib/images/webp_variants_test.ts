import { deepStrictEqual } from "node:assert/strict";
import sharp from "sharp";
import { createTestConverter, toWebpOf } from "../../tests/support/images/test_converter.ts";
import {
  assertQuarters,
  type Color,
  GREEN,
  QUARTERS,
  quarters,
  RED,
  WHITE,
} from "../../tests/support/images/pictures.ts";

const toWebp = toWebpOf(createTestConverter({ maxPixels: 1_000_000 }));

Deno.test("toWebp makes smaller copies in the given widths, and never enlarges", async () => {
  const bytes = new Uint8Array(await quarters(QUARTERS, 600, 300).png().toBuffer());
  const widths = async (maxDimension: number, variantWidths: number[]) => {
    const options = { contentType: "image/png", maxDimension, variantWidths } as const;
    const { variants } = await toWebp(bytes, options);
    for (const variant of variants) {
      const { width, height } = await sharp(variant.bytes).metadata();
      deepStrictEqual([width, height], [variant.width, variant.height]);
      await assertQuarters(variant.bytes);
    }
    return variants.map(({ width, height }) => [width, height]);
  };
  deepStrictEqual(await widths(1024, [128, 512]), [[128, 64], [512, 256]]);
  deepStrictEqual(await widths(1024, [599, 600, 601]), [[599, 300]]);
  deepStrictEqual(await widths(100, [99, 100, 600]), [[99, 50]]);
  deepStrictEqual(await widths(301, [53, 101]), [[53, 27], [101, 51]], "each in proportion to the image, of 301 x 151");
  deepStrictEqual(await widths(1024, []), []);
});

Deno.test("toWebp keeps the transparency of smaller copies", async () => {
  const colors: Color[] = [RED, GREEN, WHITE, [0, 0, 0, 0]];
  const bytes = new Uint8Array(await quarters(colors, 600, 300).png().toBuffer());
  const { variants } = await toWebp(bytes, {
    contentType: "image/png",
    maxDimension: 600,
    variantWidths: [60],
  });
  await assertQuarters(variants[0].bytes, colors);
});
