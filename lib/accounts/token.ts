/** Secrets that travel outside (session tokens, mailed tokens): the database knows only their hash. */

const TOKEN_BYTES = 32;

/** A new token: 32 random bytes, base64url. */
export function createToken(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)));
}

/** SHA-256 of a token, base64url: what is stored and looked up. */
export async function hashToken(token: string): Promise<string> {
  return base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token))));
}

function base64url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}
