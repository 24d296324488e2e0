import { utf8 } from "./wild_values.ts";

/** The length of a long value, as it is sent. */
export const LONG_BYTES = 60_000;

/**
 * What a long value repeats. Each has made some parser slow: by backtracking, or because it starts again at each part.
 */
const UNITS = [
  ...["a", "-a", " ", ",", ",;", ";q=", "=", '"', '",', "\\", "[", "%", "%25", "/a", "&a=", ":", ".", "1"],
  ...["\u0315\u0300", "\u{1F600}"],
];

/** How a place writes a text. */
const ENCODINGS = {
  url: encodeURIComponent,
  json: (text: string) => utf8(JSON.stringify(text).slice(1, -1)),
  header: utf8,
};

/** Returns a value of {@linkcode LONG_BYTES} for each unit, in the encoding of its place. */
export function longValues(encoding: keyof typeof ENCODINGS): string[] {
  return UNITS.map((unit) => {
    const encoded = ENCODINGS[encoding](unit);
    return encoded.repeat(Math.floor(LONG_BYTES / encoded.length));
  });
}

/** Long values of JSON besides texts: lists, objects, numbers and deep ones. */
export const LONG_JSON = [
  `[${Array(LONG_BYTES / 4).fill('"a"').join()}]`,
  `[${Array(LONG_BYTES / 2).fill("1").join()}]`,
  `[${Array(LONG_BYTES / 3).fill("{}").join()}]`,
  `{${Array.from({ length: LONG_BYTES / 10 }, (_, index) => `"${index}":1`).join()}}`,
  "[".repeat(LONG_BYTES / 2) + "]".repeat(LONG_BYTES / 2),
  '{"a":'.repeat(LONG_BYTES / 6) + "1" + "}".repeat(LONG_BYTES / 6),
  "1".repeat(LONG_BYTES),
];
