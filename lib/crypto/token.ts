import { hash } from "node:crypto";

/** Secrets that clients hold, such as session tokens and emailed tokens. The database stores only their hash. */

const TOKEN_BYTES = 32;

/** Creates a token of 32 random bytes, as base64url. */
export function createToken(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)));
}

/**
 * Returns the SHA-256 of a token as base64url, the form in which it is stored and looked up. Synchronous, because Web
 * Crypto uses another thread, which takes twenty times as long for so few bytes.
 */
export function hashToken(token: string): string {
  return hash("sha256", token, "base64url");
}

function base64url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}
