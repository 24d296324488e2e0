import { imageSrcset } from "../uploads/rules.ts";

interface AvatarProps {
  name: string;
  src: string | null;
  size: 40 | 96;
  /** For photos of long lists. The others are seen at once, and would flash if they came late. */
  loading?: "lazy";
}

/** A person's photo, or else their initials. Decorative: the name is always beside it. */
export function Avatar(props: AvatarProps) {
  return (
    <span class={props.size === 96 ? "avatar large" : "avatar"} data-hue={hueOf(props.name)} aria-hidden>
      <Face {...props} />
    </span>
  );
}

/** Returns the number of a person's hue, from 0 to 11. The style sheet has the colors. */
export function hueOf(name: string): number {
  return name.charCodeAt(0) % 12;
}

/**
 * What an avatar shows. The initials are behind the photo, which may be missing if it is on another site. The style
 * sheet writes them: as text, they would be a visible name of the account button, which has another one.
 */
export function Face({ name, src, size, loading }: AvatarProps) {
  return (
    <>
      <span data-initials={initials(name)} />
      {src && <Photo src={src} size={size} loading={loading} />}
    </>
  );
}

/** Browsers load the copy that fits the screen. */
function Photo({ src, size, loading }: Pick<AvatarProps, "size" | "loading"> & { src: string }) {
  const srcset = imageSrcset(src);
  const sizes = srcset && `${size}px`;
  return <img sizes={sizes} srcset={srcset} src={src} alt="" width={size} height={size} loading={loading} />;
}

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
