const DIGIT = /^\p{Nd}$/u;
/** In UTF-16 code units: those of 64 characters. */
const MAX_LENGTH = 128;

/**
 * Returns a code as it was issued: without what only makes it readable, and with ASCII digits. A longer text is no
 * code, and stays as it is.
 */
export function plainCode(typed: string): string {
  if (typed.length > MAX_LENGTH) return typed;
  return typed.normalize("NFKC").replaceAll(/[\s\p{Pd}\p{Cf}]/gu, "").replaceAll(/\p{Nd}/gu, asciiDigit);
}

/** Unicode encodes the digits of each script in a row, from zero to nine. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0)!;
  let start = code;
  while (DIGIT.test(String.fromCodePoint(start - 1))) start--;
  return String((code - start) % 10);
}
