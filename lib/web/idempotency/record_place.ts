import { createHash } from "node:crypto";
import type { AppSecrets } from "../../crypto/derived_key.ts";
import type { SealedPlace } from "../../crypto/sealed.ts";

/** Where the record of an action is stored, and which content is requested. */
export interface RecordPlace extends SealedPlace {
  /** Includes the key, so that the database reveals nothing about the content. Null without content. */
  contentHash: string | null;
}

/**
 * Where the record of an action is stored, and the secret that seals it. Records may hold session tokens, so the secret
 * includes the key of the action and its content, of which nothing but hashes is stored: the database and APP_SECRET
 * together do not open a record. Neither does a repetition with other content.
 */
export function recordPlace(
  { key, content }: { key: string; content?: string },
  { appSecret, previousAppSecrets = [] }: AppSecrets,
): RecordPlace {
  const contentHash = content === undefined ? null : sha256(key + content);
  const secretWith = (secret: string) => secret + key + (content ?? "");
  const previousSecrets = previousAppSecrets.map(secretWith);
  return { purpose: "submissions", id: sha256(key), contentHash, secret: secretWith(appSecret), previousSecrets };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
