/** A color by how people see it. */
export interface Oklch {
  /** From 0, black, to 1, white. */
  lightness: number;
  chroma: number;
  hue: number;
}

/** The matrices of Oklab. Source: Björn Ottosson, "A perceptual color space for image processing". */
const LMS_OF_RGB = [
  [0.4122214708, 0.5363325363, 0.0514459929],
  [0.2119034982, 0.6806995451, 0.1073969566],
  [0.0883024619, 0.2817188376, 0.6299787005],
];
const LAB_OF_LMS = [
  [0.2104542553, 0.793617785, -0.0040720468],
  [1.9779984951, -2.428592205, 0.4505937099],
  [0.0259040371, 0.7827717662, -0.808675766],
];
const LMS_OF_LAB = [
  [1, 0.3963377774, 0.2158037573],
  [1, -0.1055613458, -0.0638541728],
  [1, -0.0894841775, -1.291485548],
];
const RGB_OF_LMS = [
  [4.0767416621, -3.3077115913, 0.2309699292],
  [-1.2684380046, 2.6097574011, -0.3413193965],
  [-0.0041960863, -0.7034186147, 1.707614701],
];

/** @param hex as `#rrggbb` */
export function toOklch(hex: string): Oklch {
  const [lightness, a, b] = labOf(hex);
  return { lightness, chroma: Math.hypot(a, b), hue: Math.atan2(b, a) };
}

/** How much weaker each try is until a screen can show the color. */
const FADING = 0.97;
/** Rounding must not weaken a color that a screen can just show. */
const TOLERANCE = 0.0005;

/** Returns a color as `#rrggbb`, with less chroma if screens cannot show it: hue and lightness stay. */
export function fromOklch(color: Oklch): string {
  let shown = color;
  let rgb = channelsIn(shown);
  while (rgb.some((value) => value < -TOLERANCE || value > 1 + TOLERANCE) && shown.chroma > TOLERANCE) {
    shown = { ...shown, chroma: shown.chroma * FADING };
    rgb = channelsIn(shown);
  }
  return toHex(rgb);
}

/** Mixes two colors as `color-mix(in oklab, ...)` does. */
export function mix(one: string, other: string, share: number): string {
  const [from, to] = [one, other].map((hex) => labOf(hex));
  return toHex(lightIn(from.map((value, index) => value * (1 - share) + to[index] * share)).map(gamma));
}

/** The luminance of a color, from 0 to 1. Source: WCAG 2.2, relative luminance. */
export function luminance(hex: string): number {
  const [red, green, blue] = channelsOf(hex).map(linear);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast of two colors, from 1 to 21. Source: WCAG 2.2, contrast ratio. */
export function contrast(one: string, other: string): number {
  const [bright, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (bright + 0.05) / (dark + 0.05);
}

function channelsIn({ lightness, chroma, hue }: Oklch): number[] {
  return lightIn([lightness, chroma * Math.cos(hue), chroma * Math.sin(hue)]).map(gamma);
}

function labOf(hex: string): number[] {
  return product(LAB_OF_LMS, product(LMS_OF_RGB, channelsOf(hex).map(linear)).map(Math.cbrt));
}

function lightIn(lab: number[]): number[] {
  return product(RGB_OF_LMS, product(LMS_OF_LAB, lab).map((value) => value ** 3));
}

function channelsOf(hex: string): number[] {
  return [1, 3, 5].map((start) => parseInt(hex.slice(start, start + 2), 16) / 255);
}

function toHex(rgb: number[]): string {
  const channel = (value: number) => Math.round(255 * Math.min(1, Math.max(0, value)));
  return `#${rgb.map((value) => channel(value).toString(16).padStart(2, "0")).join("")}`;
}

function product(matrix: number[][], vector: number[]): number[] {
  return matrix.map((row) => row.reduce((sum, factor, index) => sum + factor * vector[index], 0));
}

/** Converts between channels of sRGB, from 0 to 1, and amounts of light. Source: CSS Color 4, 18. */
function linear(channel: number): number {
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
}

function gamma(light: number): number {
  return light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055;
}
