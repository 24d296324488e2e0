import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * The form of refresh tokens: a prefix that secret scanners can look for, then, as base64url, the id of the grant, the
 * number of the token in big-endian bytes, and a MAC of both.
 */

const PREFIX = "foyer_r_";
const ID_BYTES = 16;
const GENERATION_BYTES = 4;
const MAC_BYTES = 32;
const BASE64 = { alphabet: "base64url" } as const;
const BYTES = ID_BYTES + GENERATION_BYTES + MAC_BYTES;
const FORMAT = new RegExp(`^${PREFIX}([A-Za-z0-9_-]{${Math.ceil(BYTES * 8 / 6)}})$`);

const UUID = /^(.{8})(.{4})(.{4})(.{4})(.{12})/;

/** A refresh token that has the right form. Its MAC has not been checked. */
export interface ParsedRefreshToken {
  grantId: string;
  generation: number;
  mac: Uint8Array<ArrayBuffer>;
}

/** Writes the refresh token of a grant with this number. */
export function createRefreshToken(
  { grantId, generation, key }: { grantId: string; generation: number; key: Uint8Array },
): string {
  const bytes = new Uint8Array(BYTES);
  bytes.set(contentOf({ grantId, generation }));
  bytes.set(macOf(key, contentOf({ grantId, generation })), ID_BYTES + GENERATION_BYTES);
  return PREFIX + bytes.toBase64({ ...BASE64, omitPadding: true });
}

/** Whether a text may be a refresh token. */
export function isRefreshToken(text: string): boolean {
  return FORMAT.test(text);
}

/** Reads a refresh token. Returns null if it has another form. There is one form only: unused bits must be 0. */
export function parseRefreshToken(text: string): ParsedRefreshToken | null {
  const [, encoded] = FORMAT.exec(text) ?? [];
  if (encoded === undefined) return null;
  const bytes = decode(encoded);
  if (bytes === null) return null;
  const grantId = bytes.toHex().replace(UUID, "$1-$2-$3-$4-$5").slice(0, 36);
  const generation = new DataView(bytes.buffer).getUint32(ID_BYTES);
  return { grantId, generation, mac: bytes.slice(ID_BYTES + GENERATION_BYTES) };
}

/** Whether a refresh token has been written with this key. */
export function isWrittenWith({ grantId, generation, mac }: ParsedRefreshToken, key: Uint8Array): boolean {
  return timingSafeEqual(mac, macOf(key, contentOf({ grantId, generation })));
}

function contentOf({ grantId, generation }: { grantId: string; generation: number }): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(ID_BYTES + GENERATION_BYTES);
  bytes.set(Uint8Array.fromHex(grantId.replaceAll("-", "")));
  new DataView(bytes.buffer).setUint32(ID_BYTES, generation);
  return bytes;
}

function macOf(key: Uint8Array, content: Uint8Array): Uint8Array {
  return createHmac("sha256", key).update(content).digest();
}

function decode(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    const bytes = Uint8Array.fromBase64(text, BASE64);
    return bytes.toBase64({ ...BASE64, omitPadding: true }) === text ? bytes : null;
  } catch {
    return null;
  }
}
