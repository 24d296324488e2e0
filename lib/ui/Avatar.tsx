import { imageSrcset } from "../schemas/image_variants.ts";
import { initials } from "./initials.ts";

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
    <span class={props.size === 96 ? "avatar large" : "avatar"} aria-hidden="true">
      <Face {...props} />
    </span>
  );
}

/** What an avatar shows. The initials are behind the photo, which may be missing if it is on another site. */
export function Face({ name, src, size, loading }: AvatarProps) {
  return (
    <>
      {initials(name)}
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
