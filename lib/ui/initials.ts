/**
 * Returns the first letters of the first and last words that have one, or else the name's first character. A character
 * is what people see as one: an emoji of several code points, or a letter with its combining marks.
 */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/u).map((word) =>
    characters(word).find((character) => /^\p{L}/u.test(character))
  );
  const letters = words.filter((letter) => letter !== undefined);
  if (letters.length === 0) return characters(name.trim())[0] ?? "";
  return letters.filter((_, index) => index === 0 || index === letters.length - 1).join("").toUpperCase();
}

/** Created once, because that takes longer than splitting all names of a page. */
let segmenter: Intl.Segmenter | undefined;

/** Firefox before version 125 has no segmenter: there, a character is a code point with its combining marks. */
function characters(text: string): string[] {
  if (!("Segmenter" in Intl)) return text.match(/\P{M}\p{M}*/gu) ?? [];
  segmenter ??= new Intl.Segmenter();
  return [...segmenter.segment(text)].map(({ segment }) => segment);
}
