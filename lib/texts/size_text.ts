import type { Texts } from "./texts.ts";

const UNITS = ["bytes", "kilobytes", "megabytes", "gigabytes", "terabytes"] as const;

/** Writes a size in the largest unit that it reaches, rounded down to two or three digits, such as "1.5 KB". */
export function sizeText(bytes: number, texts: Texts["sizes"]): string {
  const exponent = bytes < 1024 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1);
  const size = bytes / 1024 ** exponent;
  return texts[UNITS[exponent]]({ size: size < 10 ? Math.floor(size * 10) / 10 : Math.floor(size) });
}
