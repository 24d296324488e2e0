import { numberFormat } from "./formats.ts";
import { scaledSize } from "./size_text.ts";

/** Writes a size, such as "3 bytes" or "1.5 KB", in a language. The names of the larger units are the same in all. */
export function formatSize(bytes: number, locale: string): string {
  const [size, unit] = scaledSize(bytes);
  if (unit !== undefined) return `${numberFormat(locale).format(size)} ${unit}`;
  return numberFormat(locale, { style: "unit", unit: "byte", unitDisplay: "long" }).format(size);
}
