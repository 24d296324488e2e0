import { contrast, fromOklch, luminance, mix, type Oklch, toOklch } from "./oklch.ts";
import { type Shades, SURFACES } from "./surfaces.ts";

/** The colors that follow the brand, by their names in static/styles.css. */
export interface Palette {
  accent: Shades;
  "accent-hover": Shades;
  "accent-surface": Shades;
  "on-accent": Shades;
}

/** The contrast that text must have. Source: WCAG 2.2, 1.4.3 (AA). */
export const TEXT_CONTRAST = 4.5;
/** The accent stays this far above the minimum, so that rounding in a browser does not matter. */
const TARGET_CONTRAST = 4.6;
const STEP = 0.005;
/** How much of the text's color the accent takes on below the pointer. */
const HOVER_SHARE = 0.18;

type Mode = keyof Shades;

/** The lightness and the chroma of colors that only take the hue of the brand. */
const LIGHT_SURFACE = { lightness: 0.95, chroma: 0.012 };
const DARK_SURFACE = { lightness: 0.29, chroma: 0.03 };
const ON_DARK_ACCENT = { lightness: 0.24, chroma: 0.04 };
/** In the dark mode, a brand without a color for it gets a pale one: bright colors glow on dark surfaces. */
const PALE = { lightness: 0.82, chroma: 0.1 };

/**
 * Derives the colors of buttons, links and focus. The accent is the brand's color if all text in it and on it is
 * readable, otherwise the nearest color of the same hue.
 *
 * @param color as `#rrggbb`
 * @param colorDark the same for the dark mode. Default: a pale one of the same hue.
 */
export function paletteOf(color: string, colorDark?: string): Palette {
  const light = shadesIn("light", toOklch(color));
  const dark = shadesIn("dark", colorDark === undefined ? pale(toOklch(color)) : toOklch(colorDark));
  const both = (name: keyof Palette): Shades => ({ light: light[name], dark: dark[name] });
  return {
    accent: both("accent"),
    "accent-hover": both("accent-hover"),
    "accent-surface": both("accent-surface"),
    "on-accent": both("on-accent"),
  };
}

function pale({ lightness, chroma, hue }: Oklch): Oklch {
  return { lightness: Math.max(lightness, PALE.lightness), chroma: Math.min(chroma, PALE.chroma), hue };
}

function shadesIn(mode: Mode, brand: Oklch): Record<keyof Palette, string> {
  const tinted = ({ lightness, chroma }: Omit<Oklch, "hue">) =>
    fromOklch({ lightness, chroma: Math.min(brand.chroma, chroma), hue: brand.hue });
  const accentSurface = tinted(mode === "light" ? LIGHT_SURFACE : DARK_SURFACE);
  const onAccent = mode === "light" ? "#ffffff" : tinted(ON_DARK_ACCENT);
  const accent = readableAccent(brand, [...BACKS.map((name) => SURFACES[name][mode]), accentSurface, onAccent]);
  return {
    accent,
    "accent-hover": mix(accent, SURFACES.text[mode], HOVER_SHARE),
    "accent-surface": accentSurface,
    "on-accent": onAccent,
  };
}

/** Moves a color away from the backgrounds, which are all light or all dark, until it is readable on each. */
function readableAccent(brand: Oklch, backs: string[]): string {
  const step = luminance(backs[0]) > 0.5 ? -STEP : STEP;
  let accent = brand;
  const isReadable = () => backs.every((back) => contrast(fromOklch(accent), back) >= TARGET_CONTRAST);
  while (!isReadable()) accent = { ...accent, lightness: accent.lightness + step };
  return fromOklch(accent);
}

/** The surfaces that links stand on. */
const BACKS = ["background", "surface", "sunken", "good-surface", "warn-surface", "danger-surface"] as const;

/** The custom properties of a palette, as they are in a style sheet. */
export function paletteCss(palette: Palette): string {
  return Object.entries<Shades>({ ...palette }).map(([name, { light, dark }]) =>
    `--${name}:light-dark(${light},${dark})`
  )
    .join(";");
}

/** Black or white, whichever is easier to read on a color. */
export function readableOn(color: string): string {
  return contrast(color, "#ffffff") >= contrast(color, "#000000") ? "#ffffff" : "#000000";
}
