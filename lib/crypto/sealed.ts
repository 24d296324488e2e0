import { type AppSecrets, deriveKey } from "./derived_key.ts";

/** Encryption of stored values that the database must not know: AES-256-GCM with a key from HKDF. */

const IV_BYTES = 12;

/** The place that an encrypted value is bound to. It can be decrypted only with the same place. */
export interface SealedPlace {
  /** The name of the key, one for each use. */
  purpose: string;
  /** The id of the row that holds the value. */
  id: string;
  /** The source of the key: APP_SECRET, followed by anything else that is required to decrypt the value. */
  secret: string;
  /** The same with the secrets before it. They only decrypt. */
  previousSecrets?: readonly string[];
  /** Whether the secrets are those of the configuration alone. Their keys are derived once. */
  hasFixedSecrets?: true;
}

/** Returns the secrets of a place that requires nothing but APP_SECRET. */
export function secretsOf(
  { appSecret, previousAppSecrets }: AppSecrets,
): Pick<SealedPlace, "secret" | "previousSecrets" | "hasFixedSecrets"> {
  return { secret: appSecret, previousSecrets: previousAppSecrets, hasFixedSecrets: true };
}

/** Encrypts a value, which is stored as JSON. */
export async function seal(value: unknown, place: SealedPlace): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const plain = new TextEncoder().encode(JSON.stringify(value));
  const sealed = await crypto.subtle.encrypt(algorithm(iv, place), await keyOf(place), plain);
  return `${iv.toBase64()}:${new Uint8Array(sealed).toBase64()}`;
}

/**
 * Decrypts the result of {@linkcode seal}.
 *
 * @throws when the text is damaged or was sealed for another place, including another secret.
 */
export async function unseal<T>(text: string, place: SealedPlace): Promise<T> {
  const { previousSecrets: [previous, ...earlier] = [] } = place;
  try {
    return await unsealWith<T>(text, place);
  } catch (error) {
    if (previous === undefined) throw error;
    return await unseal<T>(text, { ...place, secret: previous, previousSecrets: earlier });
  }
}

/**
 * Seals a text again if a previous secret has sealed it. Returns null if APP_SECRET has.
 *
 * @throws as {@linkcode unseal} does.
 */
export async function reseal(text: string, place: SealedPlace): Promise<string | null> {
  const isCurrent = await unsealWith(text, place).then(() => true, () => false);
  return isCurrent ? null : await seal(await unseal(text, place), place);
}

async function unsealWith<T>(text: string, place: SealedPlace): Promise<T> {
  const [iv, sealed] = text.split(":").map((part) => Uint8Array.fromBase64(part));
  const plain = await crypto.subtle.decrypt(algorithm(iv, place), await keyOf(place), sealed);
  return JSON.parse(new TextDecoder().decode(plain));
}

function algorithm(iv: Uint8Array<ArrayBuffer>, { id }: SealedPlace) {
  return { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(id) };
}

/** One for each purpose and secret of the configuration, so there are only a few. */
const fixedKeys = new Map<string, Promise<CryptoKey>>();

function keyOf({ purpose, secret, hasFixedSecrets }: SealedPlace): Promise<CryptoKey> {
  if (!hasFixedSecrets) return derive({ purpose, secret });
  const name = `${purpose} ${secret}`;
  const known = fixedKeys.get(name) ?? derive({ purpose, secret });
  fixedKeys.set(name, known);
  return known;
}

function derive({ purpose, secret }: Pick<SealedPlace, "purpose" | "secret">): Promise<CryptoKey> {
  const algorithm = { name: "AES-GCM", length: 256 };
  return deriveKey(secret, { name: purpose, algorithm, usages: ["encrypt", "decrypt"] });
}
