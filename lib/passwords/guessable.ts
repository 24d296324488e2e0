import { COMMON_STEMS } from "./common_stems.ts";

/** The words that someone who guesses the password of this person would try first. */
export interface OwnWords {
  /** The name of the service and its host. */
  service: string[];
  name: string;
  email: string;
}

/** Shorter own words are part of too many others. */
const OWN_WORD_MIN = 3;
/** Shorter stems count only once in a password: "aa" is common, and a long row of them is not. */
const REPEATED_STEM_MIN = 4;
/** What people write instead of a letter. "l" and "1" both stand for "i", so that no choice has to be made. */
const LETTER_OF: Record<string, string> = {
  "4": "a",
  "@": "a",
  "8": "b",
  "3": "e",
  "€": "e",
  "6": "g",
  "9": "g",
  "1": "i",
  "!": "i",
  "|": "i",
  "l": "i",
  "0": "o",
  "5": "s",
  "$": "s",
  "7": "t",
  "+": "t",
};

const STEMS = new Set(COMMON_STEMS.map((stem) => textOf(foldCase(stem))));
const STEM_MAX = Math.max(...[...STEMS].map((stem) => stem.length));

/**
 * Whether a password consists of one commonly guessed stem, possibly repeated, of the person's or the service's own
 * words, or of both. Case, accents, digits and symbols do not count, neither around words nor in place of letters:
 * composition rules make people add them, always in the same ways.
 *
 * @param password in NFKC, as the schemas return it.
 */
export function isGuessable(password: string, own: OwnWords): boolean {
  return consistsOf(foldCase(password), ownStems(own));
}

/** Whether a sequence of own words and repetitions of one stem covers all letters of the text. */
function consistsOf(characters: string[], ownWords: Set<string>): boolean {
  const text = textOf(characters);
  const longest = Math.max(STEM_MAX, ...[...ownWords].map((word) => word.length));
  const seen = new Set<string>();

  function covers(start: number, stem: string | null): boolean {
    if (start === text.length) return true;
    const state = `${start} ${stem}`;
    if (seen.has(state)) return false;
    seen.add(state);
    if (!isLetter(characters[start]) && covers(start + 1, stem)) return true;
    for (let end = start + 1; end <= Math.min(start + longest, text.length); end++) {
      const word = text.slice(start, end);
      if (ownWords.has(word) && covers(end, stem)) return true;
      if (STEMS.has(word) && mayFollow(word, stem) && covers(end, word)) return true;
    }
    return false;
  }
  return covers(0, null);
}

function mayFollow(word: string, stem: string | null): boolean {
  return stem === null || word === stem && stem.length >= REPEATED_STEM_MIN;
}

function ownStems({ service, name, email }: OwnWords): Set<string> {
  const withoutTopLevel = email.replace(/\.[^.]*$/, "");
  const words = [...service, name, withoutTopLevel].flatMap((text) => foldCase(text).join("").split(/\P{L}+/u));
  return new Set(words.filter((word) => word.length >= OWN_WORD_MIN).map((word) => textOf(word.split(""))));
}

/** Returns the characters in lower case and without accents. Each has one code unit. */
function foldCase(text: string): string[] {
  return text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase().split("");
}

/** Reads digits and symbols as the letters that they stand for. */
function textOf(characters: string[]): string {
  return characters.map((character) => LETTER_OF[character] ?? character).join("");
}

/** Half of a code point that takes two units counts as a letter: it is no separator. */
function isLetter(character: string): boolean {
  return /[\p{L}\p{Cs}]/u.test(character);
}
