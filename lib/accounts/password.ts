import { timingSafeEqual } from "node:crypto";
import { concurrencyLimit } from "../concurrency_limit.ts";

/** Source: spec, Password storage. */
const SALT_BYTES = 16;
const HASH_BITS = 256;
/** A count beyond this in a stored hash would stop the process for minutes: it can only be damage. */
const MAX_ITERATIONS = 10_000_000;
const STORED_HASH = /^([1-9][0-9]{0,7}):([A-Za-z0-9+/]{22}==):([A-Za-z0-9+/]{43}=)$/;

/** PBKDF2 fills a core: more at once than there are cores would only make everybody wait. */
const onFreeCore = concurrencyLimit(navigator.hardwareConcurrency);

/**
 * Hashes a password with PBKDF2-SHA-256 and a new salt, off the event loop.
 *
 * @param password as the schemas give it (NFKC).
 * @returns `<iterations>:<salt_base64>:<hash_base64>`. Source: spec, Password storage.
 */
export async function hashPassword(password: string, iterations: number): Promise<string> {
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
  const hash = await pbkdf2(password, { salt, iterations });
  return `${iterations}:${salt.toBase64()}:${hash.toBase64()}`;
}

/**
 * Tells whether the password is the one that was hashed. Always costs as much as `iterations` do, with no usable hash
 * and with one of fewer iterations too, so that the time does not tell which accounts exist, or how old they are.
 */
export async function verifyPassword(
  password: string,
  { storedHash, iterations }: { storedHash: string | null; iterations: number },
): Promise<boolean> {
  const stored = storedHash === null ? null : parseStoredHash(storedHash);
  const salt = stored?.salt ?? new Uint8Array(SALT_BYTES);
  const derived = await pbkdf2(password, { salt, iterations: stored?.iterations ?? iterations });
  if (stored !== null && stored.iterations < iterations) {
    await pbkdf2(password, { salt, iterations: iterations - stored.iterations });
  }
  return stored !== null && timingSafeEqual(derived, stored.hash);
}

/** The iterations of a stored hash, or null where it is none: damage that verification treats as a wrong password. */
export function iterationsOf(storedHash: string): number | null {
  return parseStoredHash(storedHash)?.iterations ?? null;
}

function parseStoredHash(text: string) {
  const match = STORED_HASH.exec(text);
  const iterations = Number(match?.[1]);
  if (match === null || iterations > MAX_ITERATIONS) return null;
  return { iterations, salt: Uint8Array.fromBase64(match[2]), hash: Uint8Array.fromBase64(match[3]) };
}

function pbkdf2(password: string, { salt, iterations }: { salt: Uint8Array<ArrayBuffer>; iterations: number }) {
  return onFreeCore(async () => {
    const key = await crypto.subtle.importKey("raw", new TextEncoder().encode(password), "PBKDF2", false, [
      "deriveBits",
    ]);
    const parameters = { name: "PBKDF2", hash: "SHA-256", salt, iterations };
    return new Uint8Array(await crypto.subtle.deriveBits(parameters, key, HASH_BITS));
  });
}
