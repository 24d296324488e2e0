import { isSameSecret } from "../../bytes/bytes.ts";
import { SECOND_MS } from "../../duration.ts";

/** Codes of authenticator apps. Source: RFC 6238, with the values that all apps support. */

const STEP_SECONDS = 30;
const DIGITS = 6;
/** As long as the hash. Source: RFC 4226, 4. */
const SECRET_BYTES = 20;
/** How many steps a clock may be ahead or behind. */
const DRIFT_STEPS = 1;
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Creates a secret, in base32, as people type it into their app. */
export function createSecret(): string {
  const bits = [...crypto.getRandomValues(new Uint8Array(SECRET_BYTES))]
    .map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return bits.replaceAll(/.{5}/g, (five) => BASE32[parseInt(five, 2)]);
}

/**
 * Returns the URI that a QR code contains. Source: https://github.com/google/google-authenticator/wiki/Key-Uri-Format
 */
export function totpUri({ secret, issuer, account }: { secret: string; issuer: string; account: string }): string {
  const parameters = { secret, issuer, algorithm: "SHA1", digits: String(DIGITS), period: String(STEP_SECONDS) };
  // Some apps do not decode `+` as a space.
  const query = new URLSearchParams(parameters).toString().replaceAll("+", "%20");
  return `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(account)}?${query}`;
}

/** Returns the time step that a time is in. */
export function stepAt(time: Date): number {
  return Math.floor(time.getTime() / (STEP_SECONDS * SECOND_MS));
}

/**
 * Returns the newest step around `time` to which a code belongs, or null. Two steps can have the same code; the newest
 * one spends it for both.
 *
 * @param after the code must belong to a later step.
 */
export async function findStep(
  code: string,
  { secret, time, after }: { secret: string; time: Date; after: number },
): Promise<number | null> {
  if (code.length !== DIGITS) return null;
  const newest = stepAt(time) + DRIFT_STEPS;
  for (let step = newest; step >= newest - 2 * DRIFT_STEPS && step > after; step--) {
    if (isSameSecret(await codeOf(secret, step), code)) return step;
  }
  return null;
}

/** Returns the code of a time step. Source: RFC 4226, 5.3. */
async function codeOf(secret: string, step: number): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-1" };
  const key = await crypto.subtle.importKey("raw", decodeBase32(secret), algorithm, false, ["sign"]);
  const counter = new DataView(new ArrayBuffer(8));
  counter.setBigUint64(0, BigInt(step));
  const mac = new DataView(await crypto.subtle.sign("HMAC", key, counter));
  const offset = mac.getUint8(mac.byteLength - 1) & 0xf;
  const number = mac.getUint32(offset) & 0x7fffffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, "0");
}

function decodeBase32(text: string): Uint8Array<ArrayBuffer> {
  const bits = [...text].map((character) => BASE32.indexOf(character).toString(2).padStart(5, "0")).join("");
  return new Uint8Array(bits.match(/.{8}/g)!.map((byte) => parseInt(byte, 2)));
}
