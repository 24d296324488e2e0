const SIZE_UNITS = ["KB", "MB", "GB", "TB"];

/** A size with two or three digits, such as "3 bytes", "1.5 KB" or "120 MB", in English. */
export function sizeText(bytes: number): string {
  const [size, unit] = scaledSize(bytes);
  return `${size} ${unit ?? (size === 1 ? "byte" : "bytes")}`;
}

/** Returns a size in the largest unit that it reaches, rounded down. The unit is undefined for bytes. */
export function scaledSize(bytes: number): [size: number, unit?: string] {
  if (bytes < 1024) return [bytes];
  const exponent = Math.min(Math.floor(Math.log2(bytes) / 10), SIZE_UNITS.length);
  const size = bytes / 1024 ** exponent;
  return [size < 10 ? Math.floor(size * 10) / 10 : Math.floor(size), SIZE_UNITS[exponent - 1]];
}
