import { deriveKey } from "./derived_key.ts";

/** What is stored encrypted, because it holds what the database must not know. AES-256-GCM, key by HKDF. */

const IV_BYTES = 12;

export interface SealedPlace {
  /** What is sealed for one purpose does not open for another. */
  purpose: string;
  /** The row that it belongs to: moved to another row it does not open. */
  id: string;
  /** What the key is derived from: APP_SECRET, and after it what else whoever opens it must know. */
  secret: string;
}

/** Encrypts a value, as JSON has it. */
export async function seal(value: unknown, place: SealedPlace): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const plain = new TextEncoder().encode(JSON.stringify(value));
  const sealed = await crypto.subtle.encrypt(algorithm(iv, place), await keyOf(place), plain);
  return `${iv.toBase64()}:${new Uint8Array(sealed).toBase64()}`;
}

/**
 * Opens what {@linkcode seal} made.
 *
 * @throws when the text is damaged, belongs to another place, or the secret is not the one it was made with.
 */
export async function unseal<T>(text: string, place: SealedPlace): Promise<T> {
  const [iv, sealed] = text.split(":").map((part) => Uint8Array.fromBase64(part));
  const plain = await crypto.subtle.decrypt(algorithm(iv, place), await keyOf(place), sealed);
  return JSON.parse(new TextDecoder().decode(plain));
}

function algorithm(iv: Uint8Array<ArrayBuffer>, { id }: SealedPlace) {
  return { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(id) };
}

function keyOf({ purpose, secret }: SealedPlace): Promise<CryptoKey> {
  const algorithm = { name: "AES-GCM", length: 256 };
  return deriveKey(secret, { name: purpose, algorithm, usages: ["encrypt", "decrypt"] });
}
