const SIZE_UNITS = ["KB", "MB", "GB", "TB"];

/** A size with two or three digits, such as "3 bytes", "1.5 KB" or "120 MB". */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
  const exponent = Math.min(Math.floor(Math.log2(bytes) / 10), SIZE_UNITS.length);
  const size = bytes / 1024 ** exponent;
  return `${size < 10 ? Math.floor(size * 10) / 10 : Math.floor(size)} ${SIZE_UNITS[exponent - 1]}`;
}
