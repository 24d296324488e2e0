import { Buffer } from "node:buffer";
import { deriveKeys, isSignedBy } from "../../crypto/derived_key.ts";
import type { Services } from "../../services/services.ts";

/**
 * 48 bits of milliseconds last for eight thousand years. With the flag and the signature, 52 characters need no
 * padding.
 */
const EXPIRY_BYTES = 6;
const HEAD_BYTES = EXPIRY_BYTES + 1;
const SIGNATURE_BYTES = 32;
/** The values of the byte that says what a browser does with the file. */
const SHOW = 0;
const DOWNLOAD = 1;

/** The file that a link opens, and the number that its row has as long as the link works. */
export interface LinkedFile {
  key: string;
  linkNumber: number;
}

/** How long a link works, and whether browsers save the file in place of showing it. */
export interface LinkTerms {
  expiresAt: Date;
  download: boolean;
}

/**
 * Returns the text that opens one private file, the value of `?link=`. It carries its own terms and our signature,
 * which also covers the file and its number, so nothing is stored.
 */
export async function sealLink(
  { config }: Pick<Services, "config">,
  file: LinkedFile,
  { expiresAt, download }: LinkTerms,
): Promise<string> {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUIntBE(expiresAt.getTime(), 0, EXPIRY_BYTES);
  head.writeUInt8(download ? DOWNLOAD : SHOW, EXPIRY_BYTES);
  const [key] = await keysFor(config);
  const signature = await crypto.subtle.sign("HMAC", key, signedBytes(head, file));
  return Buffer.concat([head, new Uint8Array(signature)]).toString("base64url");
}

/**
 * Returns what a link allows, or null if it does not open this file: it is not ours, was made for another file or
 * another number of this one, or has expired. Compares in constant time. Links of previous secrets work.
 */
export async function verifyLink(
  { config, now }: Pick<Services, "config" | "now">,
  text: string,
  file: LinkedFile,
): Promise<Pick<LinkTerms, "download"> | null> {
  const bytes = Buffer.from(text, "base64url");
  // Other spellings of the same bytes are not accepted.
  if (bytes.length !== HEAD_BYTES + SIGNATURE_BYTES || bytes.toString("base64url") !== text) return null;
  const head = bytes.subarray(0, HEAD_BYTES);
  const signature = Uint8Array.from(bytes.subarray(HEAD_BYTES));
  const isOurs = await isSignedBy(await keysFor(config), { signature, bytes: signedBytes(head, file) });
  if (!isOurs || now().getTime() >= head.readUIntBE(0, EXPIRY_BYTES)) return null;
  return { download: head.readUInt8(EXPIRY_BYTES) === DOWNLOAD };
}

function signedBytes(head: Buffer, { key, linkNumber }: LinkedFile): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify([key, linkNumber, head.toString("base64url")]));
}

function keysFor(config: Services["config"]): ReturnType<typeof deriveKeys> {
  const algorithm = { name: "HMAC", hash: "SHA-256", length: 256 };
  return deriveKeys(config, { name: "private_file_links", algorithm, usages: ["sign", "verify"] });
}
