import { createCipheriv, scrypt } from "node:crypto";
import { promisify } from "node:util";
import { sharedPlaces } from "../turns/concurrency_limit.ts";
import { bcrypt } from "./bcrypt.ts";
import type { HashMethod } from "./hash_method.ts";

/** The hash to compute: in which way, with which salt, and how long. */
export interface Derivation {
  method: HashMethod;
  salt: Uint8Array<ArrayBuffer>;
  bytes: number;
}

/** These hashes may take 128 MiB each. The isolates of a process share the places. */
const memoryHard = sharedPlaces("memory-hard password hash", navigator.hardwareConcurrency);

/** Hashes a password as another system did, off the event loop. The caller has checked the costs. */
export async function deriveForeign(text: string, { method, salt, bytes }: Derivation): Promise<Uint8Array> {
  const password = new TextEncoder().encode(text);
  switch (method.algorithm) {
    case "bcrypt":
      return await bcrypt({ password: text, salt, cost: method.cost });
    case "argon2id":
    case "argon2i":
      return await memoryHard.run(() => argon2(password, { method, salt, bytes }));
    case "scrypt":
      return await memoryHard.run(() => scryptOf(password, { method, salt, bytes }));
    case "firebase-scrypt": {
      const key = await memoryHard.run(() => scryptOf(password, { method, salt, bytes: FIREBASE_KEY_BYTES }));
      return createCipheriv("aes-256-ctr", key, NO_IV).update(new Uint8Array(bytes));
    }
    case "pbkdf2-sha256":
    case "pbkdf2-sha512":
      return await pbkdf2(password, { method, salt, bytes });
  }
}

const FIREBASE_KEY_BYTES = 32;
const NO_IV = new Uint8Array(16);

type DerivationBy<Algorithm extends HashMethod["algorithm"]> = Derivation & {
  method: Extract<HashMethod, { algorithm: Algorithm }>;
};

const startScrypt = promisify<Uint8Array, Uint8Array, number, object, Uint8Array>(scrypt);

async function scryptOf(
  password: Uint8Array,
  { method: { logN, r, p }, salt, bytes }: DerivationBy<"scrypt" | "firebase-scrypt">,
): Promise<Uint8Array> {
  const N = 2 ** logN;
  return await startScrypt(password, salt, bytes, { N, r, p, maxmem: 2 * 128 * r * (N + p) });
}

/** Source: Web Incubator Community Group, Modern Algorithms in the Web Cryptography API. */
async function argon2(
  password: Uint8Array<ArrayBuffer>,
  { method: { algorithm, memoryKib, passes, lanes }, salt, bytes }: DerivationBy<"argon2id" | "argon2i">,
): Promise<Uint8Array> {
  const name = algorithm === "argon2id" ? "Argon2id" : "Argon2i";
  // The types of Deno do not know this format of keys yet.
  const key = await crypto.subtle.importKey("raw-secret" as "raw", password, name, false, ["deriveBits"]);
  const parameters = { name, nonce: salt, memory: memoryKib, passes, parallelism: lanes };
  return new Uint8Array(await crypto.subtle.deriveBits(parameters, key, bytes * 8));
}

async function pbkdf2(
  password: Uint8Array<ArrayBuffer>,
  { method: { algorithm, iterations }, salt, bytes }: DerivationBy<"pbkdf2-sha256" | "pbkdf2-sha512">,
): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey("raw", password, "PBKDF2", false, ["deriveBits"]);
  const hash = algorithm === "pbkdf2-sha256" ? "SHA-256" : "SHA-512";
  return new Uint8Array(await crypto.subtle.deriveBits({ name: "PBKDF2", hash, salt, iterations }, key, bytes * 8));
}
