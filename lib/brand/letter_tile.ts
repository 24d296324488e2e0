import { contrast, fromOklch, toOklch } from "./oklch.ts";
import { type Palette, readableOn } from "./palette.ts";
import { type Shades, SURFACES } from "./surfaces.ts";

/** With less contrast to what is around it, a tile looks like a letter without one. */
export const TILE_CONTRAST = 1.5;
/** The largest text that stays inside the circle that phones cut out of an icon. */
const LETTER_SIZE = 18;
const STEP = 0.005;

/**
 * Returns the colors of a tile on pages and tabs: the brand's, or the one of buttons where the brand's is too close to the
 * page, such as black in the dark mode.
 */
export function tileShades(color: string, { accent }: Palette): Shades {
  const shade = (mode: keyof Shades) => isVisible(color, [mode]) ? color : accent[mode];
  return { light: shade("light"), dark: shade("dark") };
}

/** Returns the color of icons among others, where nothing says whether they are on light or on dark: near the brand's. */
export function iconColor(color: string): string {
  const start = toOklch(color);
  const step = start.lightness < 0.5 ? STEP : -STEP;
  let { lightness } = start;
  let shown = color;
  while (!isVisible(shown, ["light", "dark"])) shown = fromOklch({ ...start, lightness: lightness += step });
  return shown;
}

function isVisible(color: string, modes: (keyof Shades)[]): boolean {
  return modes.every((mode) => contrast(color, SURFACES.surface[mode]) >= TILE_CONTRAST);
}

/** Draws the first letter of the name on a tile. Phones cut the corners of icons themselves. */
export function letterTile(letter: string, { light, dark }: Shades, { isRound = true } = {}): string {
  const corners = isRound ? ' rx="8"' : "";
  const text = letter.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${light === dark ? "" : darkStyle(dark)}` +
    `<rect width="32" height="32"${corners} fill="${light}"/>` +
    `<text x="16" y="16" dy=".36em" text-anchor="middle" font-family="system-ui,sans-serif" font-weight="700" ` +
    `font-size="${LETTER_SIZE}" fill="${readableOn(light)}">${text}</text></svg>\n`;
}

function darkStyle(color: string): string {
  return `<style>@media(prefers-color-scheme:dark){rect{fill:${color}}text{fill:${readableOn(color)}}}</style>`;
}
