import { Buffer } from "node:buffer";
import { type AppSecrets, deriveKeys, isSignedBy } from "./derived_key.ts";

const RANDOM_BYTES = 16;
const EXPIRY_BYTES = 8;
const HEAD_BYTES = EXPIRY_BYTES + RANDOM_BYTES;
const SIGNATURE_BYTES = 32;

/** What a text is for. It can be opened only for the same. */
export interface ExpiringPlace {
  /** The name of the key, one for each use. */
  purpose: string;
  /** What else it is bound to. */
  context: readonly string[];
}

/** A text that we have made. */
export interface OpenedText {
  text: string;
  /** Its signature, base64url. */
  id: string;
  expiresAt: Date;
}

/** Makes a random text that carries its own expiry and our signature, so that nothing has to be stored. */
export async function createExpiringText(
  secrets: AppSecrets,
  { expiresAt, ...place }: ExpiringPlace & { expiresAt: Date },
): Promise<string> {
  const head = new Uint8Array(HEAD_BYTES);
  crypto.getRandomValues(head.subarray(EXPIRY_BYTES));
  new DataView(head.buffer).setBigUint64(0, BigInt(expiresAt.getTime()));
  const [key] = await keysFor(secrets, place);
  const signature = await crypto.subtle.sign("HMAC", key, signedBytes(head, place));
  return Buffer.concat([head, new Uint8Array(signature)]).toString("base64url");
}

/** Returns the text if it is ours, for this place and not expired; otherwise null. */
export async function openExpiringText(
  secrets: AppSecrets,
  { text, now, ...place }: ExpiringPlace & { text: string | null; now: Date },
): Promise<OpenedText | null> {
  const bytes = Buffer.from(text ?? "", "base64url");
  if (bytes.length !== HEAD_BYTES + SIGNATURE_BYTES || bytes.toString("base64url") !== text) return null;
  const head = Uint8Array.from(bytes.subarray(0, HEAD_BYTES));
  const signature = Uint8Array.from(bytes.subarray(HEAD_BYTES));
  const isOurs = await isSignedBy(await keysFor(secrets, place), { signature, bytes: signedBytes(head, place) });
  const expiresAt = new Date(Number(new DataView(head.buffer).getBigUint64(0)));
  if (!isOurs || expiresAt.getTime() < now.getTime()) return null;
  return { text, id: Buffer.from(signature).toString("base64url"), expiresAt };
}

function signedBytes(head: Uint8Array, { context }: ExpiringPlace): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify([...context, head.toBase64()]));
}

function keysFor(secrets: AppSecrets, { purpose }: ExpiringPlace): ReturnType<typeof deriveKeys> {
  const algorithm = { name: "HMAC", hash: "SHA-256", length: 256 };
  return deriveKeys(secrets, { name: purpose, algorithm, usages: ["sign", "verify"] });
}
