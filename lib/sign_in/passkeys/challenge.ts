import { Buffer } from "node:buffer";
import type { Config } from "../../config/config.ts";
import { deriveKeys, isSignedBy } from "../../crypto/derived_key.ts";
import { MINUTE_SECONDS, secondsAfter } from "../../duration.ts";
import type { Services } from "../../services/services.ts";

/** How long people have to answer a challenge. */
export const CHALLENGE_SECONDS = 10 * MINUTE_SECONDS;
const RANDOM_BYTES = 16;
const EXPIRY_BYTES = 8;
const HEAD_BYTES = EXPIRY_BYTES + RANDOM_BYTES;
const SIGNATURE_BYTES = 32;

/** What a challenge is for: adding a passkey to one account, or proving who one is with any passkey. */
export type ChallengePurpose = { addTo: string } | "prove";

/** A challenge that we have issued and that has not expired. */
export interface OpenChallenge {
  /** As the authenticator signs it. */
  text: string;
  /** Its signature, base64url. */
  id: string;
  expiresAt: Date;
}

/**
 * Creates a challenge that carries its own expiry and our signature. Nothing is stored, so that a page can ask for one
 * whenever it loads.
 */
export async function createChallenge(
  { config, now }: Pick<Services, "config" | "now">,
  purpose: ChallengePurpose,
): Promise<string> {
  const head = new Uint8Array(HEAD_BYTES);
  crypto.getRandomValues(head.subarray(EXPIRY_BYTES));
  const expiresAt = secondsAfter(now(), CHALLENGE_SECONDS);
  new DataView(head.buffer).setBigUint64(0, BigInt(expiresAt.getTime()));
  const [key] = await keysFor(config);
  const signature = await crypto.subtle.sign("HMAC", key, signedBytes(head, purpose));
  return Buffer.concat([head, new Uint8Array(signature)]).toString("base64url");
}

/** Returns the challenge if it is ours, for this purpose and not expired; otherwise null. */
export async function openChallenge(
  { config, now }: Pick<Services, "config" | "now">,
  { text, purpose }: { text: string | null; purpose: ChallengePurpose },
): Promise<OpenChallenge | null> {
  const bytes = Buffer.from(text ?? "", "base64url");
  if (bytes.length !== HEAD_BYTES + SIGNATURE_BYTES || bytes.toString("base64url") !== text) return null;
  const head = Uint8Array.from(bytes.subarray(0, HEAD_BYTES));
  const signature = Uint8Array.from(bytes.subarray(HEAD_BYTES));
  const isOurs = await isSignedBy(await keysFor(config), { signature, bytes: signedBytes(head, purpose) });
  const expiresAt = new Date(Number(new DataView(head.buffer).getBigUint64(0)));
  if (!isOurs || expiresAt.getTime() < now().getTime()) return null;
  return { text, id: Buffer.from(signature).toString("base64url"), expiresAt };
}

function signedBytes(head: Uint8Array, purpose: ChallengePurpose): Uint8Array<ArrayBuffer> {
  const context = purpose === "prove" ? ["prove"] : ["add", purpose.addTo];
  return new TextEncoder().encode(JSON.stringify([...context, head.toBase64()]));
}

function keysFor(config: Config): ReturnType<typeof deriveKeys> {
  const algorithm = { name: "HMAC", hash: "SHA-256", length: 256 };
  return deriveKeys(config, { name: "passkey_challenges", algorithm, usages: ["sign", "verify"] });
}
