import { imageSrcset } from "../schemas/image_variants.ts";
import { initials } from "./initials.ts";

/** A person's photo, or else their initials. Decorative: the name is always beside it. */
export function Avatar({ name, src, size }: { name: string; src: string | null; size: 40 | 96 }) {
  return (
    <span class={size === 96 ? "avatar large" : "avatar"} aria-hidden="true">
      {src ? <Photo src={src} size={size} /> : initials(name)}
    </span>
  );
}

/** Browsers load the copy that fits the screen. */
function Photo({ src, size }: { src: string; size: number }) {
  const srcset = imageSrcset(src);
  const sizes = srcset && `${size}px`;
  return (
    <img sizes={sizes} srcset={srcset} src={src} alt="" width={size} height={size} loading="lazy" decoding="async" />
  );
}
