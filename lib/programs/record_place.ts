import { createHash } from "node:crypto";
import type { Config } from "../config.ts";
import type { SealedPlace } from "../crypto/sealed.ts";

/**
 * Where the record of an action is stored, and the secret that seals it. Records may hold session tokens, so the secret
 * includes the key of the action, of which only a hash is stored: the database and APP_SECRET together do not open a
 * record.
 */
export function recordPlace(key: string, { appSecret }: Pick<Config, "appSecret">): SealedPlace {
  const id = createHash("sha256").update(key).digest("base64");
  return { purpose: "submissions", id, secret: appSecret + key };
}
