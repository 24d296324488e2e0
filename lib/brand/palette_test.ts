import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { contrast, fromOklch, toOklch } from "./oklch.ts";
import { type Palette, paletteCss, paletteOf, readableOn, TEXT_CONTRAST } from "./palette.ts";
import { iconColor, TILE_CONTRAST, tileShades } from "./icons.ts";
import { type Shades, SURFACES } from "./surfaces.ts";

/** For borders of fields and focus indicators. Source: WCAG 2.2, 1.4.11. */
const SHAPE_CONTRAST = 3;
const ALL_SURFACES = [
  "background",
  "surface",
  "sunken",
  "accent-surface",
  "good-surface",
  "warn-surface",
  "danger-surface",
] as const;
type Name = keyof Palette | keyof typeof SURFACES;
/** The colors that stand on each other on pages and in emails, with their minimum contrast. */
const PAIRS: [front: Name, back: Name, minimum: number][] = [
  ...ALL_SURFACES.flatMap((back) =>
    (["text", "text-soft", "accent", "accent-hover"] as const).map((
      front,
    ): [Name, Name, number] => [front, back, TEXT_CONTRAST])
  ),
  ["on-accent", "accent", TEXT_CONTRAST],
  ["on-accent", "accent-hover", TEXT_CONTRAST],
  ...(["background", "surface", "danger-surface"] as const).map((
    back,
  ): [Name, Name, number] => ["danger", back, TEXT_CONTRAST]),
  ["background", "danger", TEXT_CONTRAST],
  ...(["background", "surface", "good-surface"] as const).map((
    back,
  ): [Name, Name, number] => ["good", back, TEXT_CONTRAST]),
  ["warn", "warn-surface", TEXT_CONTRAST],
  ["line", "background", SHAPE_CONTRAST],
  ["line", "surface", SHAPE_CONTRAST],
];
const EXTREMES = ["#ffffff", "#000000", "#ffff00", "#00ff00", "#00ffff", "#0000ff", "#ff00ff", "#ff0000", "#808080"];
const HUES = 16;
/** Pale, medium and strong colors, light, medium and dark ones, of every hue; and the extremes. */
const BRANDS = [
  ...EXTREMES,
  ...Array.from({ length: HUES }, (_, index) => index * 2 * Math.PI / HUES).flatMap((hue) =>
    [0.12, 0.3, 0.48, 0.62, 0.78, 0.93].flatMap((lightness) =>
      [0.03, 0.12, 0.3].map((chroma) => fromOklch({ lightness, chroma, hue }))
    )
  ),
];

Deno.test("every text, button, link and focus is readable with any brand color, in both modes", () => {
  ok(new Set(BRANDS).size >= 200, `only ${new Set(BRANDS).size} colors`);
  for (const brand of BRANDS) {
    for (const palette of [paletteOf(brand), paletteOf("#1f6355", brand)]) {
      const colors: Record<string, Shades> = { ...SURFACES, ...palette };
      for (const [front, back, minimum] of PAIRS) {
        for (const mode of ["light", "dark"] as const) {
          const ratio = contrast(colors[front][mode], colors[back][mode]);
          ok(ratio >= minimum, `${brand}, ${mode}: ${front} on ${back} has a contrast of ${ratio.toFixed(2)}`);
        }
      }
    }
  }
});

Deno.test("what stands in the light of the door is readable with any brand color, in both modes", async () => {
  const css = await Deno.readTextFile(new URL("../../static/styles.css", import.meta.url));
  const share = (rule: string) => {
    const light = css.slice(css.indexOf(`\n${rule} {`)).split("}")[0];
    return Number(/color-mix\(in oklab, var\(--accent\) (\d+)%, transparent\)/.exec(light)![1]) / 100;
  };
  const [floor, around] = [share(".auth::before"), share(".door")];
  for (const brand of BRANDS) {
    for (const palette of [paletteOf(brand), paletteOf("#1f6355", brand)]) {
      for (const mode of ["light", "dark"] as const) {
        const accent = palette.accent[mode];
        // Outside its box, a shadow is at most half as strong as its color.
        const lit = over(accent, floor, over(accent, around / 2, SURFACES.background[mode]));
        const [text, focus] = [contrast(SURFACES.text[mode], lit), contrast(accent, lit)];
        ok(
          text >= TEXT_CONTRAST && focus >= SHAPE_CONTRAST,
          `${brand}, ${mode}: ${text.toFixed(2)} ${focus.toFixed(2)}`,
        );
      }
    }
  }
});

/** A color that lies on another one and lets it through, as browsers show it. */
function over(front: string, opacity: number, back: string): string {
  const [from, to] = [back, front].map((color) => Uint8Array.fromHex(color.slice(1)));
  return `#${from.map((value, index) => Math.round(value + (to[index] - value) * opacity)).toHex()}`;
}

Deno.test("the tile with the first letter is visible with any brand color, in both modes and among other icons", () => {
  for (const brand of BRANDS) {
    const icon = iconColor(brand);
    for (const mode of ["light", "dark"] as const) {
      for (const tile of [tileShades(brand, paletteOf(brand))[mode], icon]) {
        const [around, letter] = [contrast(tile, SURFACES.surface[mode]), contrast(tile, readableOn(tile))];
        ok(around >= TILE_CONTRAST && letter >= TEXT_CONTRAST, `${brand}, ${mode}: ${tile} ${around} ${letter}`);
      }
    }
  }
  deepStrictEqual(tileShades("#c62828", paletteOf("#c62828")), { light: "#c62828", dark: "#c62828" });
  strictEqual(iconColor("#c62828"), "#c62828");
  deepStrictEqual(tileShades("#111111", paletteOf("#111111")), {
    light: "#111111",
    dark: paletteOf("#111111").accent.dark,
  });
});

Deno.test("a brand that is readable stays as it is, and the others keep their hue", () => {
  for (const color of ["#c62828", "#1f6355", "#0000ff", "#111111"]) strictEqual(paletteOf(color).accent.light, color);
  for (const color of ["#c4c4c4", "#ff8a80"]) strictEqual(paletteOf("#1f6355", color).accent.dark, color);
  for (const color of ["#fff3b0", "#00ff00", "#ff8c00"]) {
    const { accent } = paletteOf(color);
    for (const shade of [accent.light, accent.dark]) {
      const degrees = Math.abs(toOklch(shade).hue - toOklch(color).hue) * 180 / Math.PI;
      ok(degrees < 3, `${color} became ${shade}, ${degrees.toFixed(1)} degrees away`);
    }
  }
  const { accent } = paletteOf("#888888");
  for (const shade of [accent.light, accent.dark]) {
    strictEqual(new Set(shade.slice(1).match(/../g)).size, 1, `${shade} is gray`);
  }
});

Deno.test("the style sheet has the colors that are computed without a brand, and those that do not follow it", async () => {
  const css = await Deno.readTextFile(new URL("../../static/styles.css", import.meta.url));
  const colors = Object.entries<Shades>({ ...SURFACES, ...paletteOf("#1f6355") });
  const missing = colors.map(([name, { light, dark }]) => `--${name}: light-dark(${light}, ${dark});`)
    .filter((line) => !css.includes(line));
  deepStrictEqual(missing, []);
  strictEqual(
    paletteCss(paletteOf("#1f6355")).split(";")[0],
    "--accent:light-dark(#1f6355,#92d4c3)",
  );
});
