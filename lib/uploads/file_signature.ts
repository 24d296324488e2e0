import type { ImageContentType } from "../services.ts";

/** A `?` matches any byte. Sources: JFIF 1.02, PNG 3rd edition 5.2, GIF89a 17, RFC 9649 2.4. */
const SIGNATURES: [signature: string, contentType: ImageContentType][] = [
  ["\xff\xd8\xff", "image/jpeg"],
  ["\x89PNG\r\n\x1a\n", "image/png"],
  ["GIF87a", "image/gif"],
  ["GIF89a", "image/gif"],
  ["RIFF????WEBP", "image/webp"],
];

/** Detects the image type from the first bytes of a file. Returns null if they match no type. */
export function imageTypeBySignature(bytes: Uint8Array): ImageContentType | null {
  return SIGNATURES.find(([signature]) => startsWith(bytes, signature))?.[1] ?? null;
}

function startsWith(bytes: Uint8Array, signature: string): boolean {
  return [...signature].every((char, i) => char === "?" ? i < bytes.length : bytes[i] === char.charCodeAt(0));
}
