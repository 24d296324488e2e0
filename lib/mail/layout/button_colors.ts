/** The colors of a button: its fill, and the text on it. */
export interface ButtonColors {
  fill: string;
  text: string;
}

/**
 * Derives the colors of a button from the brand's color, as `--accent` and `--on-accent` in static/styles.css do. The text is
 * readable on the fill for every brand. Mail programs compute no colors.
 *
 * @param brand as `#rrggbb`
 */
export function buttonColors(brand: string): { light: ButtonColors; dark: ButtonColors } {
  const { lightness, chroma, hue } = toOklch(brand);
  const hex = (lightness: number, maxChroma: number) =>
    fromOklch({ lightness, chroma: Math.min(chroma, maxChroma), hue });
  return {
    light: { fill: hex(Math.min(lightness, 0.455), 0.16), text: "#ffffff" },
    dark: { fill: hex(Math.max(lightness, 0.82), 0.1), text: hex(0.24, 0.04) },
  };
}

interface Oklch {
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

function toOklch(hex: string): Oklch {
  const rgb = [1, 3, 5].map((start) => linear(parseInt(hex.slice(start, start + 2), 16) / 255));
  const [lightness, a, b] = product(LAB_OF_LMS, product(LMS_OF_RGB, rgb).map(Math.cbrt));
  return { lightness, chroma: Math.hypot(a, b), hue: Math.atan2(b, a) };
}

function fromOklch({ lightness, chroma, hue }: Oklch): string {
  const lab = [lightness, chroma * Math.cos(hue), chroma * Math.sin(hue)];
  const rgb = product(RGB_OF_LMS, product(LMS_OF_LAB, lab).map((value) => value ** 3));
  const channel = (value: number) => Math.round(255 * gamma(Math.min(1, Math.max(0, value))));
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
