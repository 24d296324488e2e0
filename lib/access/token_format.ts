import { crc32 } from "node:zlib";

const PREFIX = "foyer_";
/** The order of the digits is part of the format: the checksum depends on it. */
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SECRET_BYTES = 32;
/** 62^43 is the smallest power of 62 above 2^256. */
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const FORMAT = new RegExp(`^${PREFIX}([${BASE62}]{${SECRET_LENGTH}})([${BASE62}]{${CHECKSUM_LENGTH}})$`);
/** Long enough to tell the tokens of one user apart, and far too short to help someone guess the rest. */
const HINT_LENGTH = 4;

/** Creates an API token: a prefix that secret scanners can look for, 256 random bits, and their checksum. */
export function createApiToken(): string {
  const secret = base62(BigInt(`0x${crypto.getRandomValues(new Uint8Array(SECRET_BYTES)).toHex()}`), SECRET_LENGTH);
  return PREFIX + secret + checksumOf(secret);
}

/** Whether the text has the format of a token and the right checksum. A mistyped token then costs no query. */
export function isWellFormedToken(text: string): boolean {
  const [, secret, checksum] = FORMAT.exec(text) ?? [];
  return secret !== undefined && checksum === checksumOf(secret);
}

/** The start of a token, by which its owner recognizes it. */
export function tokenHint(token: string): string {
  return `${token.slice(0, PREFIX.length + HINT_LENGTH)}…`;
}

function checksumOf(secret: string): string {
  return base62(BigInt(crc32(secret)), CHECKSUM_LENGTH);
}

/** Writes a number with this many digits. */
function base62(number: bigint, length: number): string {
  let digits = "";
  for (let rest = number; digits.length < length; rest /= 62n) digits = BASE62[Number(rest % 62n)] + digits;
  return digits;
}

/** Whether a text may be a signed token, such as the access token of an app. API tokens have no dots. */
export function isJwt(text: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text);
}
