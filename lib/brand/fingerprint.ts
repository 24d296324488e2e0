import { createHash } from "node:crypto";

const LENGTH = 12;

/** Returns a short text that differs between different contents. */
export function fingerprint(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex").slice(0, LENGTH);
}
