import type { ErrorCode } from "../errors.ts";
import { IMAGE_MAX_BYTES } from "../schemas/image_rules.ts";
import type { Texts } from "./texts.ts";

type ErrorTexts = Partial<Record<ErrorCode, string>>;

const IMAGE_TYPE_NAMES: Record<string, string> = {
  "image/jpeg": "JPEG",
  "image/png": "PNG",
  "image/webp": "WebP",
  "image/gif": "GIF",
};

/** What to say when a photo is refused, by error code. */
export function photoErrorTexts({ photo }: Pick<Texts, "photo">, contentType: string): ErrorTexts {
  return {
    PAYLOAD_TOO_LARGE: (contentType === "image/gif" ? photo.gifTooLarge : photo.tooLarge)(
      sizeText(IMAGE_MAX_BYTES),
    ),
    FILE_TYPE_NOT_ALLOWED: photo.wrongType,
    FILE_SIGNATURE_MISMATCH: photo.notOfType(IMAGE_TYPE_NAMES[contentType]),
    IMAGE_INVALID: photo.invalid,
    QUOTA_EXCEEDED: photo.quotaExceeded,
  };
}

/** What to say when a file is refused, by error code. */
export function fileErrorTexts(
  { uploads }: Pick<Texts, "uploads">,
  { name, maxBytes }: { name: string; maxBytes: number },
): ErrorTexts {
  return {
    PAYLOAD_TOO_LARGE: uploads.tooLarge(sizeText(maxBytes)),
    FILE_TYPE_NOT_ALLOWED: uploads.typeNotAllowed(typeNameOf(name)),
    FILE_SIGNATURE_MISMATCH: uploads.notOfType,
    QUOTA_EXCEEDED: uploads.quotaExceeded,
  };
}

const SIZE_UNITS = ["KB", "MB", "GB", "TB"];

/** A size with two or three digits, such as "3 bytes", "1.5 KB" or "120 MB". */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
  const exponent = Math.min(Math.floor(Math.log2(bytes) / 10), SIZE_UNITS.length);
  const size = bytes / 1024 ** exponent;
  return `${size < 10 ? Math.floor(size * 10) / 10 : Math.floor(size)} ${SIZE_UNITS[exponent - 1]}`;
}

/** The extension in capitals, such as "SVG". Files without one are of no type, which is allowed. */
function typeNameOf(fileName: string): string {
  return fileName.slice(fileName.lastIndexOf(".") + 1).toUpperCase();
}
