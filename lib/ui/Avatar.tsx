/** A person's photo, or else their initials. Decorative: the name is always beside it. */
export function Avatar({ name, src, size }: { name: string; src: string | null; size: 40 | 96 }) {
  return (
    <span class={size === 96 ? "avatar large" : "avatar"} aria-hidden="true">
      {src ? <img src={src} alt="" width={size} height={size} loading="lazy" decoding="async" /> : initials(name)}
    </span>
  );
}

/** Returns the first letters of the first and last words that have one, or else the name's first character. */
function initials(name: string): string {
  const letters = name.split(/\s+/u).flatMap((word) => word.match(/\p{L}\p{M}*/u) ?? []);
  if (letters.length === 0) return [...name][0];
  return letters.filter((_, index) => index === 0 || index === letters.length - 1).join("").toUpperCase();
}
