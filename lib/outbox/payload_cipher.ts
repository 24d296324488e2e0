import { deriveKey } from "../derived_key.ts";
import type { Mail } from "../services.ts";

/** Mails wait encrypted: they hold links whose tokens the database must not know. AES-256-GCM, key by HKDF. */

const IV_BYTES = 12;

/** Encrypts a mail for the outbox row with this id; moved to another row it does not open. */
export async function encryptMail(mail: Mail, { id, appSecret }: { id: string; appSecret: string }): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const plain = new TextEncoder().encode(JSON.stringify(mail));
  const sealed = await crypto.subtle.encrypt(algorithm(iv, id), await outboxKey(appSecret), plain);
  return `${iv.toBase64()}:${new Uint8Array(sealed).toBase64()}`;
}

/**
 * Opens what {@linkcode encryptMail} made.
 *
 * @throws when the text is damaged, belongs to another row, or APP_SECRET is not the one it was made with.
 */
export async function decryptMail(
  payload: string,
  { id, appSecret }: { id: string; appSecret: string },
): Promise<Mail> {
  const [iv, sealed] = payload.split(":").map((part) => Uint8Array.fromBase64(part));
  const plain = await crypto.subtle.decrypt(algorithm(iv, id), await outboxKey(appSecret), sealed);
  return JSON.parse(new TextDecoder().decode(plain));
}

function algorithm(iv: Uint8Array<ArrayBuffer>, id: string) {
  return { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(id) };
}

function outboxKey(appSecret: string): Promise<CryptoKey> {
  return deriveKey(appSecret, {
    name: "outbox",
    algorithm: { name: "AES-GCM", length: 256 },
    usages: ["encrypt", "decrypt"],
  });
}
