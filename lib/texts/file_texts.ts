import type { ErrorCode } from "../errors/errors.ts";
import { sizeText } from "./size_text.ts";
import type { Texts } from "./texts.ts";

type ErrorTexts = Partial<Record<ErrorCode, string>>;

/** What to say when a file is refused, by error code. */
export function fileErrorTexts(
  { sizes, uploads }: Pick<Texts, "sizes" | "uploads">,
  { name, maxBytes }: { name: string; maxBytes: number },
): ErrorTexts {
  return {
    PAYLOAD_TOO_LARGE: uploads.tooLarge({ limit: sizeText(maxBytes, sizes) }),
    FILE_TYPE_NOT_ALLOWED: uploads.typeNotAllowed({ type: typeNameOf(name) }),
    FILE_SIGNATURE_MISMATCH: uploads.notOfType,
    QUOTA_EXCEEDED: uploads.quotaExceeded,
  };
}

/** The extension in capitals, such as "SVG". Files without one are of no type, which is allowed. */
function typeNameOf(fileName: string): string {
  return fileName.slice(fileName.lastIndexOf(".") + 1).toUpperCase();
}
