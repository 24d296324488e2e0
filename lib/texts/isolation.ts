/** Letters that run from right to left, marks that change the direction, and a few others between them. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufefc\u{10800}-\u{1efff}]/u;

/**
 * Isolates a name, address, code or file name inside a text of this direction, so that neither mixes with the other. Is
 * the only way to print one there; in elements, it is the component `Isolated`. From left to right, most need no marks.
 * Source of the marks: Unicode Bidirectional Algorithm, 2.4.
 */
export function isolated(text: string, direction: "ltr" | "rtl"): string {
  return text === "" || direction === "ltr" && !RIGHT_TO_LEFT.test(text) ? text : `\u2068${text}\u2069`;
}
