import { timingSafeEqual } from "node:crypto";
import { concurrencyLimit } from "../turns/concurrency_limit.ts";
import { currentClient } from "../turns/current_client.ts";
import { planForeignCheck } from "./foreign_check.ts";
import { isForeign, parseForeignHash } from "./foreign_hash.ts";
import type { HashMethod } from "./hash_method.ts";

/** Source: docs/rules.md, Password storage. */
const SALT_BYTES = 16;
const HASH_BITS = 256;
/** A stored hash with more iterations must be damaged. Verifying it would keep a core busy for minutes. */
const MAX_ITERATIONS = 10_000_000;
const STORED_HASH = /^([1-9][0-9]{0,7}):([A-Za-z0-9+/]{22}==):([A-Za-z0-9+/]{43}=)$/;

/** One core computes these in about a second. With one isolate per core, each isolate has one core. */
const MAX_WAITING_ITERATIONS = 10_000_000;

/**
 * PBKDF2 keeps a core busy, so more tasks than cores would only delay one another. Costs are counted in iterations.
 */
const onFreeCore = concurrencyLimit(navigator.hardwareConcurrency, { maxWaiting: MAX_WAITING_ITERATIONS });

/** How much work a hash is, and whose. */
export interface HashWork {
  iterations: number;
  /**
   * The id of the user, or the address of a client that is not logged in. Takes turns with others at the same client.
   */
  owner: string;
}

/**
 * Hashes a password with PBKDF2-SHA-256 and a new salt, off the event loop.
 *
 * @param password in NFKC, as the schemas return it.
 * @returns `<iterations>:<salt_base64>:<hash_base64>`. Source: docs/rules.md, Password storage.
 * @throws {AppError} UNAVAILABLE when too many hashes are waiting, and others have fewer of them.
 */
export async function hashPassword(password: string, { iterations, owner }: HashWork): Promise<string> {
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
  const hash = await onFreeCore(() => pbkdf2(password, { salt, iterations }), {
    cost: iterations,
    owners: [...currentClient(), owner],
  });
  return storedForm(hash, { salt, iterations });
}

/**
 * Hashes a text with the salt and the iterations of a stored hash, so that the two results can be compared.
 *
 * @throws {AppError} UNAVAILABLE when too many hashes are waiting, and others have fewer of them.
 */
export async function hashAlike(
  text: string,
  { storedHash, owner }: { storedHash: string; owner: string },
): Promise<string> {
  const stored = parseStoredHash(storedHash);
  if (stored === null) throw new Error("Cannot hash like a stored hash: it is damaged");
  const { salt, iterations } = stored;
  const hash = await onFreeCore(() => pbkdf2(text, { salt, iterations }), {
    cost: iterations,
    owners: [...currentClient(), owner],
  });
  return storedForm(hash, { salt, iterations });
}

/** A password hash as it is stored, and the ways in which other accounts have hashes of other systems. */
export interface StoredHash {
  storedHash: string | null;
  /** By default none: then the time reveals the way in which this one was made. */
  methods?: HashMethod[];
}

/**
 * Whether the password matches the hash. This always takes at least as long as `iterations`, even without a usable hash
 * or with one of fewer iterations, and in addition as long as the most expensive of each kind of `methods`. So the time
 * reveals neither which accounts exist nor how old they are. It waits in the queue exactly once, so that a full queue
 * does not reveal it either.
 *
 * @throws {AppError} UNAVAILABLE when too many hashes are waiting, and others have fewer of them.
 */
export async function verifyPassword(
  password: string,
  { storedHash, methods = [], iterations, owner }: HashWork & StoredHash,
): Promise<boolean> {
  const stored = storedHash === null ? null : parseStoredHash(storedHash);
  const salt = stored?.salt ?? new Uint8Array(SALT_BYTES);
  const needed = stored?.iterations ?? iterations;
  const foreign = planForeignCheck(storedHash === null ? null : parseForeignHash(storedHash), methods);
  return await onFreeCore(async () => {
    const derived = await pbkdf2(password, { salt, iterations: needed });
    if (needed < iterations) await pbkdf2(password, { salt, iterations: iterations - needed });
    const isForeignRight = await foreign.matches(password);
    return isForeignRight || (stored !== null && timingSafeEqual(derived, stored.hash));
  }, { cost: Math.max(needed, iterations) + foreign.iterations, owners: [...currentClient(), owner] });
}

/** Whether a stored hash is damaged. Verification treats damage as a wrong password. */
export function isDamaged(storedHash: string): boolean {
  return (isForeign(storedHash) ? parseForeignHash(storedHash) : parseStoredHash(storedHash)) === null;
}

/**
 * Whether a stored hash should be replaced by one of so many iterations: it is weaker, or comes from another system.
 */
export function isOutdated(storedHash: string, iterations: number): boolean {
  return (iterationsOf(storedHash) ?? 0) < iterations;
}

/** Returns the iterations of a stored hash of our own, or null when it is damaged or comes from another system. */
export function iterationsOf(storedHash: string): number | null {
  return parseStoredHash(storedHash)?.iterations ?? null;
}

function parseStoredHash(text: string) {
  const match = STORED_HASH.exec(text);
  const iterations = Number(match?.[1]);
  if (match === null || iterations > MAX_ITERATIONS) return null;
  return { iterations, salt: Uint8Array.fromBase64(match[2]), hash: Uint8Array.fromBase64(match[3]) };
}

/** Source: docs/rules.md, Password storage. */
function storedForm(hash: Uint8Array, { salt, iterations }: { salt: Uint8Array; iterations: number }): string {
  return `${iterations}:${salt.toBase64()}:${hash.toBase64()}`;
}

async function pbkdf2(
  password: string,
  { salt, iterations }: { salt: Uint8Array<ArrayBuffer>; iterations: number },
): Promise<Uint8Array> {
  const bytes = new TextEncoder().encode(password);
  const key = await crypto.subtle.importKey("raw", bytes, "PBKDF2", false, ["deriveBits"]);
  const parameters = { name: "PBKDF2", hash: "SHA-256", salt, iterations };
  return new Uint8Array(await crypto.subtle.deriveBits(parameters, key, HASH_BITS));
}
