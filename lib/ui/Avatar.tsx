/** A person's picture, or the first letters of the name; the name itself always stands beside it. */
export function Avatar({ name, src, size }: { name: string; src: string | null; size: 40 | 96 }) {
  const box = { width: size, height: size };
  return src
    ? <img class="avatar" src={src} alt="" {...box} loading="lazy" decoding="async" />
    : <span class={`avatar letters size-${size}`} aria-hidden="true">{initials(name)}</span>;
}

function initials(name: string): string {
  const words = name.split(/\s+/u).filter(Boolean);
  const ends = words.length > 1 ? [words[0], words[words.length - 1]] : words;
  return ends.map((word) => String.fromCodePoint(word.codePointAt(0)!).toUpperCase()).join("");
}
