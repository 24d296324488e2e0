/** The conditions that an uploaded image must meet, for the server and for forms in the browser. */

/** Source: docs/rules.md, Image uploads. */
export const IMAGE_MAX_BYTES = 5 * 1024 * 1024;

/** Source: docs/rules.md, Image uploads. */
const IMAGE_TYPES = ["image/jpeg", "image/png", "image/webp", "image/gif"] as const;
type ImageType = typeof IMAGE_TYPES[number];
/** The types of uploaded images. */
export const IMAGE_CONTENT_TYPES: readonly string[] = IMAGE_TYPES;

/** A `?` matches any byte. Sources: JFIF 1.02, PNG 3rd edition 5.2, GIF89a 17, RFC 9649 2.4. */
export const IMAGE_SIGNATURES: [signature: string, contentType: ImageType][] = [
  ["\xff\xd8\xff", "image/jpeg"],
  ["\x89PNG\r\n\x1a\n", "image/png"],
  ["GIF87a", "image/gif"],
  ["GIF89a", "image/gif"],
  ["RIFF????WEBP", "image/webp"],
];

/** The brands of photos in HEIC and HEIF, after the word `ftyp`. Source: ISO/IEC 23008-12, B.4. */
const HEIF_SIGNATURES = ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"].map((brand) =>
  `????ftyp${brand}`
);
/** The type of all photos in HEIC and HEIF. */
export const HEIC = "image/heic";
/** As many bytes of a picture as {@linkcode pictureType} needs. */
export const PICTURE_START_BYTES = 12;

/** Detects the image type from the first bytes of a file. Returns null if they match no type. */
export function imageTypeBySignature(bytes: Uint8Array): ImageType | null {
  return IMAGE_SIGNATURES.find(([signature]) => startsWith(bytes, signature))?.[1] ?? null;
}

/**
 * Returns the type of a picture by its content, because its name is often another's: browsers declare the type by the
 * name. Other files are of their declared type.
 *
 * @param file its name counts only if the system knows no type for it, as is common with HEIC.
 * @param start the first {@linkcode PICTURE_START_BYTES} bytes. Without them, only HEIC is recognized.
 */
export function pictureType(
  { type, name }: { type: string; name: string },
  start: Uint8Array = new Uint8Array(),
): string {
  const isUnknown = type === "" || type === "application/octet-stream";
  if (!isUnknown && !type.startsWith("image/")) return type;
  const found = imageTypeBySignature(start);
  if (found !== null) return found;
  const isHeic = HEIF_SIGNATURES.some((signature) => startsWith(start, signature)) || /^image\/hei[cf]\b/.test(type) ||
    isUnknown && /\.hei[cf]$/i.test(name);
  return isHeic ? HEIC : type;
}

/** The extensions of images of each type, first the one of new files. */
const IMAGE_EXTENSIONS: Record<string, string[]> = {
  "image/jpeg": ["jpg", "jpeg", "jpe", "jfif"],
  "image/png": ["png"],
  "image/webp": ["webp"],
  "image/gif": ["gif"],
};
const IMAGE_EXTENSION = new RegExp(`\\.(${Object.values(IMAGE_EXTENSIONS).flat().join("|")})$`, "i");

/**
 * Returns the name under which browsers save a file. The extension of an image is that of its type: `a.jpg` may be a
 * WebP.
 */
export function savedName({ name, contentType }: { name: string; contentType: string }): string {
  const extensions = IMAGE_EXTENSIONS[contentType];
  const current = IMAGE_EXTENSION.exec(name)?.[1].toLowerCase();
  if (extensions === undefined || current !== undefined && extensions.includes(current)) return name;
  return `${name.replace(IMAGE_EXTENSION, "")}.${extensions[0]}`;
}

/** Whether bytes begin with a signature, in which a `?` matches any byte. */
export function startsWith(bytes: Uint8Array, signature: string): boolean {
  return [...signature].every((char, i) => char === "?" ? i < bytes.length : bytes[i] === char.charCodeAt(0));
}

/** The purposes of an uploaded image. */
export const IMAGE_PURPOSES = ["avatar", "post"] as const;
export type ImagePurpose = typeof IMAGE_PURPOSES[number];

/**
 * The part of an image that stays when it becomes a square: the top or the left, the center, the bottom or the right.
 */
export const IMAGE_CROPS = ["start", "center", "end"] as const;
/** The part that pages keep unless the person chooses another one. */
export const DEFAULT_CROP: typeof IMAGE_CROPS[number] = "center";

/** Returns the code of the error that an image of this size and declared type gets, or null. */
export function checkImage(
  { size, type }: { size: number; type: string },
): "PAYLOAD_TOO_LARGE" | "FILE_TYPE_NOT_ALLOWED" | null {
  if (size > IMAGE_MAX_BYTES) return "PAYLOAD_TOO_LARGE";
  return IMAGE_CONTENT_TYPES.includes(type) ? null : "FILE_TYPE_NOT_ALLOWED";
}

/**
 * The widths in which an image is stored besides its full size, in ascending order. A copy that would not be narrower
 * than the image is left out.
 */
export const VARIANT_WIDTHS: Record<ImagePurpose, number[]> = { avatar: [128, 512], post: [640, 1280] };

/**
 * The address of an image with copies: its UUID has version 7 if they have all widths, and version 8 if there is only
 * the smallest one. Other images have version 4: those of older releases, and those that are too narrow. So pages know
 * from the address alone which copies there are, without asking the database or the bucket.
 */
const WITH_VARIANTS =
  /\/images\/(avatar|post)\/[0-9a-f]{8}-[0-9a-f]{4}-([78])[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\.webp$/;

/** Returns the key or URL of a smaller copy of an image: `a.webp` becomes `a-128.webp`. */
export function variantOf(keyOrUrl: string, width: number): string {
  return keyOrUrl.replace(/\.webp$/, `-${width}.webp`);
}

/**
 * Returns the `srcset` of a stored image, or undefined if it has no copies. Where the larger copy is missing, the image
 * itself takes its place: it is at most as wide.
 */
export function imageSrcset(url: string): string | undefined {
  const [, purpose, version] = WITH_VARIANTS.exec(url) ?? [];
  return purpose && VARIANT_WIDTHS[purpose as ImagePurpose]
    .map((width, i) => `${i > 0 && version === "8" ? url : variantOf(url, width)} ${width}w`).join(", ");
}
