import { type HashMethod, isWithinBounds, methodText, parseMethod } from "./hash_method.ts";

/** A password hash that another system has made. */
export interface ForeignHash {
  method: HashMethod;
  salt: Uint8Array<ArrayBuffer>;
  hash: Uint8Array<ArrayBuffer>;
}

/** A shorter hash would match too many passwords. */
const HASH_MIN_BYTES = 16;
const HASH_MAX_BYTES = 128;
const SALT_MIN_BYTES = 4;
const SALT_MAX_BYTES = 256;
/** Source: RFC 9106, 3.1. */
const ARGON2_SALT_MIN_BYTES = 8;
const BCRYPT_SALT_BYTES = 16;
const BCRYPT_HASH_BYTES = 23;
const BASE64 = "[A-Za-z0-9+/]+";
const STORED = new RegExp(`^(\\$.+)\\$(${BASE64})\\$(${BASE64})$`);

/** Whether a stored hash comes from another system. Our own begin with a number. */
export function isForeign(storedHash: string): boolean {
  return storedHash.startsWith("$");
}

/** Writes a hash as it is stored: the method, the salt and the hash in base64, separated by dollar signs. */
export function storedForeignHash({ method, salt, hash }: ForeignHash): string {
  return [methodText(method), toBase64(salt), toBase64(hash)].join("$");
}

/** Reads a stored hash. Returns null if it is damaged, or its costs are out of bounds: then it must not be computed. */
export function parseForeignHash(storedHash: string): ForeignHash | null {
  const match = STORED.exec(storedHash);
  if (match === null) return null;
  const [method, salt, hash] = [parseMethod(match[1]), fromBase64(match[2]), fromBase64(match[3])];
  if (method === null || salt === null || hash === null) return null;
  const foreign = { method, salt, hash };
  return isWithinBounds(method) && hasUsableLengths(foreign) ? foreign : null;
}

/** Whether the salt and the hash have lengths that their method allows. */
export function hasUsableLengths({ method: { algorithm }, salt, hash }: ForeignHash): boolean {
  if (algorithm === "bcrypt") return salt.length === BCRYPT_SALT_BYTES && hash.length === BCRYPT_HASH_BYTES;
  const saltMin = algorithm.startsWith("argon2") ? ARGON2_SALT_MIN_BYTES : SALT_MIN_BYTES;
  return salt.length >= saltMin && salt.length <= SALT_MAX_BYTES &&
    hash.length >= HASH_MIN_BYTES && hash.length <= HASH_MAX_BYTES;
}

/** Reads base64 with or without padding. Returns null if it is damaged. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.fromBase64(text);
  } catch {
    return null;
  }
}

function toBase64(bytes: Uint8Array): string {
  return bytes.toBase64({ omitPadding: true });
}
