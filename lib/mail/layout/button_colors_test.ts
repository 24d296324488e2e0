import { deepStrictEqual, ok } from "node:assert/strict";
import { type ButtonColors, buttonColors } from "./button_colors.ts";

const BRANDS = [
  "#1f6355",
  "#c62828",
  "#ffeb3b",
  "#ffffff",
  "#000000",
  "#0000ff",
  "#00ff00",
  "#ff00ff",
  "#888888",
  "#7fd1a0",
];

Deno.test("the text of a button is readable for every brand, in both modes", () => {
  for (const brand of BRANDS) {
    const { light, dark } = buttonColors(brand);
    for (const colors of [light, dark]) ok(contrast(colors) >= 4.5, `${brand}: ${JSON.stringify(colors)}`);
    ok(contrast({ fill: light.fill, text: "#ffffff" }) >= 3, `${brand} on a light card`);
    ok(contrast({ fill: dark.fill, text: "#23211d" }) >= 3, `${brand} on a dark card`);
  }
});

Deno.test("a dark brand is the color of its buttons, and a gray one stays gray", () => {
  deepStrictEqual(buttonColors("#1a5347").light, { fill: "#1a5347", text: "#ffffff" });
  const { fill } = buttonColors("#888888").dark;
  deepStrictEqual(new Set(fill.slice(1).match(/../g)).size, 1, fill);
});

/** Source: WCAG 2.2, contrast ratio. */
function contrast({ fill, text }: ButtonColors): number {
  const [darker, lighter] = [fill, text].map(luminance).sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(hex: string): number {
  const [red, green, blue] = [1, 3, 5].map((start) => {
    const channel = parseInt(hex.slice(start, start + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
