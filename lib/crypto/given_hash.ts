import { type ForeignHash, fromBase64, hasUsableLengths, storedForeignHash } from "./foreign_hash.ts";
import { type HashMethod, isWithinBounds } from "./hash_method.ts";

/** A hash as Firebase exports it, with the parameters of its project. Values are base64. */
export interface FirebaseHash {
  hash: string;
  salt: string;
  signerKey: string;
  saltSeparator: string;
  rounds: number;
  memCost: number;
}

/** A hash in an import: a crypt string (bcrypt), a PHC string, or one of Firebase. */
export type GivenHash = string | { firebaseScrypt: FirebaseHash };

/** Why a hash cannot be imported. */
export type HashProblem = "format" | "costs";

/** The alphabet of bcrypt, in the order of that of base64. */
const BCRYPT_ALPHABET = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const BASE64_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** The versions differ only in errors of old implementations. `2x` is one of them. */
const BCRYPT = /^\$2[aby]\$([0-9]{2})\$([./A-Za-z0-9]{22})([./A-Za-z0-9]{31})$/;
const PHC = /^\$([a-z0-9-]+)(?:\$v=([0-9]+))?\$([a-z0-9=,]+)\$([A-Za-z0-9+/]+={0,2})\$([A-Za-z0-9+/]+={0,2})$/;
/** The version of Argon2 that RFC 9106 describes. The one before it is computed differently. */
const ARGON2_VERSION = "19";

/**
 * Reads a hash that another system has exported, and returns it as it is stored. Computes nothing, so it takes the same
 * time whatever the hash costs.
 */
export function readGivenHash(given: GivenHash): { stored: string; method: HashMethod } | { problem: HashProblem } {
  const foreign = typeof given === "string" ? readBcrypt(given) ?? readPhc(given) : readFirebase(given.firebaseScrypt);
  if (foreign === null || !hasUsableLengths(foreign)) return { problem: "format" };
  const { method } = foreign;
  return isWithinBounds(method) ? { stored: storedForeignHash(foreign), method } : { problem: "costs" };
}

function readBcrypt(text: string): ForeignHash | null {
  const match = BCRYPT.exec(text);
  if (match === null) return null;
  const [salt, hash] = match.slice(2).map((part) => fromBase64(inBase64Alphabet(part)));
  return salt && hash && { method: { algorithm: "bcrypt", cost: Number(match[1]) }, salt, hash };
}

function inBase64Alphabet(text: string): string {
  return Array.from(text, (character) => BASE64_ALPHABET[BCRYPT_ALPHABET.indexOf(character)]).join("");
}

/** Source: PHC string format. */
function readPhc(text: string): ForeignHash | null {
  const match = PHC.exec(text);
  if (match === null) return null;
  const [, algorithm, version, parameters, saltText, hashText] = match;
  const numbers = readParameters(parameters);
  const [salt, hash] = [fromBase64(saltText), fromBase64(hashText)];
  const method = numbers && hash && methodOf(algorithm, { version, numbers, bytes: hash.length });
  return method && salt && hash && { method, salt, hash };
}

function readParameters(text: string): Map<string, number> | null {
  const numbers = new Map<string, number>();
  for (const parameter of text.split(",")) {
    const [, name, value] = /^([a-z]+)=([0-9]{1,10})$/.exec(parameter) ?? [];
    if (name === undefined || numbers.has(name)) return null;
    numbers.set(name, Number(value));
  }
  return numbers;
}

function methodOf(
  algorithm: string,
  { version, numbers, bytes }: { version: string | undefined; numbers: Map<string, number>; bytes: number },
): HashMethod | null {
  const has = (...names: string[]) => names.length === numbers.size && names.every((name) => numbers.has(name));
  const get = (name: string) => numbers.get(name)!;
  switch (algorithm) {
    case "argon2id":
    case "argon2i":
      if (version !== ARGON2_VERSION || !has("m", "t", "p")) return null;
      return { algorithm, memoryKib: get("m"), passes: get("t"), lanes: get("p") };
    case "scrypt":
      if (version !== undefined || !has("ln", "r", "p")) return null;
      return { algorithm, logN: get("ln"), r: get("r"), p: get("p") };
    case "pbkdf2-sha256":
    case "pbkdf2-sha512":
      if (version !== undefined || !(has("i") || has("i", "l") && get("l") === bytes)) return null;
      return { algorithm, iterations: get("i"), bytes };
    default:
      return null;
  }
}

/**
 * Firebase encrypts the key of the project with what scrypt returns. The hash without this key is the key stream, from
 * which it can be checked without the key, so the key is not stored. Source: github.com/firebase/scrypt.
 */
function readFirebase(given: FirebaseHash): ForeignHash | null {
  const [encrypted, salt, key, separator] = [given.hash, given.salt, given.signerKey, given.saltSeparator]
    .map(fromExportedBase64);
  if (!encrypted || !salt || !key || !separator || encrypted.length !== key.length) return null;
  return {
    method: { algorithm: "firebase-scrypt", logN: given.memCost, r: given.rounds, p: 1 },
    salt: new Uint8Array([...salt, ...separator]),
    hash: encrypted.map((byte, index) => byte ^ key[index]),
  };
}

/** The API returns the URL-safe alphabet, and the command line of Firebase the other one. */
function fromExportedBase64(text: string): Uint8Array<ArrayBuffer> | null {
  return fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
}
