import type { ErrorCode } from "../errors/errors.ts";
import { HEIC, IMAGE_MAX_BYTES } from "../uploads/rules.ts";
import { sizeText } from "./size_text.ts";
import type { Texts } from "./texts.ts";

const IMAGE_TYPE_NAMES: Record<string, string> = {
  "image/jpeg": "JPEG",
  "image/png": "PNG",
  "image/webp": "WebP",
  "image/gif": "GIF",
};

/** What to say when a photo is refused, by error code. */
export function photoErrorTexts(
  { photo, sizes }: Pick<Texts, "photo" | "sizes">,
  contentType: string,
): Partial<Record<ErrorCode, string>> {
  return {
    PAYLOAD_TOO_LARGE: (contentType === "image/gif" ? photo.gifTooLarge : photo.tooLarge)({
      limit: sizeText(IMAGE_MAX_BYTES, sizes),
    }),
    FILE_TYPE_NOT_ALLOWED: contentType === HEIC ? photo.heic : photo.wrongType,
    FILE_SIGNATURE_MISMATCH: photo.notOfType({ type: IMAGE_TYPE_NAMES[contentType] }),
    IMAGE_INVALID: photo.invalid,
    QUOTA_EXCEEDED: photo.quotaExceeded,
  };
}
