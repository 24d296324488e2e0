/** A person's picture, or the first letters of the name; the name itself always stands beside it. */
export function Avatar({ name, src, size }: { name: string; src: string | null; size: 40 | 96 }) {
  const box = { width: size, height: size };
  return src
    ? <img class={`avatar size-${size}`} src={src} alt="" {...box} loading="lazy" decoding="async" />
    : <span class={`avatar letters size-${size}`} aria-hidden="true">{initials(name)}</span>;
}

/** The first letters of the first and the last word that have some; else what the name begins with. */
function initials(name: string): string {
  const letters = name.split(/\s+/u).flatMap((word) => word.match(/\p{L}\p{M}*/u) ?? []);
  if (letters.length === 0) return [...name][0];
  return letters.filter((_, index) => index === 0 || index === letters.length - 1).join("").toUpperCase();
}
