import type { BrandSettings, NamedFiles } from "./settings.ts";
import { type Palette, readableOn } from "./palette.ts";
import { contrast, fromOklch, toOklch } from "./oklch.ts";
import { type Shades, SURFACES } from "./surfaces.ts";

/** An icon, as the manifest names it. */
export interface Icon {
  src: string;
  /** `any` for those that fit every size. */
  sizes: string;
  /** Absent where only the server of the icon knows it. */
  type?: string;
  purpose?: "maskable";
}

/** The logo on pages, and all icons. */
interface BrandImages {
  logo: { light: string; dark?: string };
  icons: Icon[];
  picture: string | null;
}

interface IconSource {
  settings: BrandSettings;
  named: NamedFiles;
  color: string;
  palette: Palette;
  letter: string;
}

/** Keeps a file and returns its address. */
type AddFile = (name: string, contentType: string, content: string | Uint8Array<ArrayBuffer>) => string;

const SVG = "image/svg+xml";
const SIZE = "any";

/** Makes the icons from the logo, or from the first letter of the name. */
export function brandIcons({ settings, named, color, palette, letter }: IconSource, add: AddFile): BrandImages {
  const { logo, logoDark } = settings;
  if (logo === undefined) {
    const shades = { light: iconColor(color), dark: iconColor(color) };
    const icon = add("icon.svg", SVG, letterTile(letter, shades));
    const full = add("maskable.svg", SVG, letterTile(letter, shades, { isRound: false }));
    return {
      logo: { light: add("tile.svg", SVG, letterTile(letter, tileShades(color, palette))) },
      icons: [{ src: icon, sizes: SIZE, type: SVG }, { src: full, sizes: SIZE, type: SVG, purpose: "maskable" }],
      picture: null,
    };
  }
  const light = addressOf("logo", logo, named.logo, add);
  const dark = logoDark === undefined ? undefined : addressOf("logo-dark", logoDark, named.logoDark, add);
  const type = typeOf(logo);
  const maskable = named.logo === undefined ? [] : [{
    src: add("maskable.svg", SVG, framedLogo(named.logo, type ?? SVG)),
    sizes: SIZE,
    type: SVG,
    purpose: "maskable" as const,
  }];
  return {
    logo: { light, dark },
    icons: [{ src: light, sizes: SIZE, type }, ...maskable],
    picture: type === SVG ? null : light,
  };
}

/** Whether a logo is at another site, and not a file. */
export function isAddress(logo: string): boolean {
  return /^https?:/i.test(logo);
}

/** Returns the content type of a logo by its name, or undefined for the address of another site without one. */
export function typeOf(logo: string): string | undefined {
  const path = isAddress(logo) ? new URL(logo).pathname : logo;
  return /\.svg$/i.test(path) ? SVG : /\.png$/i.test(path) ? "image/png" : undefined;
}

function addressOf(name: string, logo: string, content: Uint8Array<ArrayBuffer> | undefined, add: AddFile): string {
  if (content === undefined) return logo;
  const type = typeOf(logo)!;
  return add(`${name}.${type === SVG ? "svg" : "png"}`, type, content);
}

/** The logo on white, inside the circle to which phones cut an icon. */
function framedLogo(content: Uint8Array<ArrayBuffer>, type: string): string {
  return '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" fill="#fff"/>' +
    `<image x="7" y="7" width="18" height="18" href="data:${type};base64,${content.toBase64()}"/></svg>\n`;
}

/** With less contrast to what is around it, a tile looks like a letter without one. */
export const TILE_CONTRAST = 1.5;
/** The largest text that stays inside the circle that phones cut out of an icon. */
const LETTER_SIZE = 18;
const STEP = 0.005;

/**
 * Returns the colors of a tile on pages and tabs: the brand's, or the one of buttons where the brand's is too close to
 * the page, such as black in the dark mode.
 */
export function tileShades(color: string, { accent }: Palette): Shades {
  const shade = (mode: keyof Shades) => isVisible(color, [mode]) ? color : accent[mode];
  return { light: shade("light"), dark: shade("dark") };
}

/**
 * Returns the color of icons among others, where nothing says whether they are on light or on dark: near the brand's.
 */
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
function letterTile(letter: string, { light, dark }: Shades, { isRound = true } = {}): string {
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
