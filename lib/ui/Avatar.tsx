import { initials } from "./initials.ts";

/** A person's photo, or else their initials. Decorative: the name is always beside it. */
export function Avatar({ name, src, size }: { name: string; src: string | null; size: 40 | 96 }) {
  return (
    <span class={size === 96 ? "avatar large" : "avatar"} aria-hidden="true">
      {src ? <img src={src} alt="" width={size} height={size} loading="lazy" decoding="async" /> : initials(name)}
    </span>
  );
}
