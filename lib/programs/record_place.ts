import { createHash } from "node:crypto";
import type { Config } from "../config.ts";
import type { SealedPlace } from "../crypto/sealed.ts";

/**
 * Where the record of an action is stored, and the secret that seals it. Records may hold session tokens, so the secret
 * includes the key of the action and its content, of which nothing but a hash of the key is stored: the database and
 * APP_SECRET together do not open a record. Neither does a repetition with other content.
 */
export function recordPlace(
  { key, content = "" }: { key: string; content?: string },
  { appSecret }: Pick<Config, "appSecret">,
): SealedPlace {
  const id = createHash("sha256").update(key).digest("base64");
  return { purpose: "submissions", id, secret: appSecret + key + content };
}
