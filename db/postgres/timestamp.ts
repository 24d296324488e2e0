/**
 * Parses a `timestamptz` in PostgreSQL's usual format, such as `2026-11-22 09:30:00.123456+00`. Drops the microseconds,
 * as the drivers do.
 *
 * @returns null for rare formats, which the driver's own parser handles: years below 100 or above 9999, offsets that
 * are not whole hours, and infinity.
 */
export function parseTimestamp(text: string): Date | null {
  const offsetAt = text.length - 3;
  const sign = text[offsetAt];
  const isUsual = text[4] === "-" && text[10] === " " && (sign === "+" || sign === "-") && !text.startsWith("00");
  if (!isUsual) return null;
  const offsetHours = twoDigits(text, offsetAt + 1);
  return new Date(Date.UTC(
    twoDigits(text, 0) * 100 + twoDigits(text, 2),
    twoDigits(text, 5) - 1,
    twoDigits(text, 8),
    twoDigits(text, 11) - (sign === "+" ? offsetHours : -offsetHours),
    twoDigits(text, 14),
    twoDigits(text, 17),
    milliseconds(text, offsetAt),
  ));
}

function twoDigits(text: string, at: number): number {
  return digit(text, at) * 10 + digit(text, at + 1);
}

/** PostgreSQL omits trailing zeros of the fraction, which starts with a dot at 19. */
function milliseconds(text: string, end: number): number {
  let result = 0;
  for (let at = 20; at < 23; at++) result = result * 10 + (at < end ? digit(text, at) : 0);
  return result;
}

function digit(text: string, at: number): number {
  return text.charCodeAt(at) - 48;
}
