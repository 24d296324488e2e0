import { createHash } from "node:crypto";

/** Secrets that travel outside (session tokens, mailed tokens): the database knows only their hash. */

const TOKEN_BYTES = 32;

/** A new token: 32 random bytes, base64url. */
export function createToken(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)));
}

/**
 * SHA-256 of a token, base64url: what is stored and looked up. Made at once: for so little, sending it to another
 * thread, as Web Crypto does, takes twenty times as long.
 */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}

function base64url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}
