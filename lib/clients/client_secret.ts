import { hash, randomInt } from "node:crypto";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** As many as 256 bits need. */
const SECRET_LENGTH = 43;

/** Creates a secret for a client. Its characters need no encoding anywhere. */
export function createClientSecret(): string {
  return randomLetters(SECRET_LENGTH);
}

/** Returns random letters and digits. */
export function randomLetters(length: number): string {
  return Array.from({ length }, () => BASE62[randomInt(BASE62.length)]).join("");
}

/** Returns the SHA-256 of a secret in hex, as a registered client has it. A fast hash is enough for a random secret. */
export function hashClientSecret(secret: string): string {
  return hash("sha256", secret, "hex");
}
