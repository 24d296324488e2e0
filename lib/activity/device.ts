import { sql } from "kysely";
import type { Db } from "../../db/schema.ts";
import { createToken, hashToken } from "../crypto/token.ts";
import { DAY_SECONDS, secondsAfter } from "../duration.ts";

/** How long a browser is recognized after the last sign-in. Browsers keep no cookie for longer. */
export const DEVICE_SECONDS = 400 * DAY_SECONDS;

/** A browser in which a user signs in. */
export interface Device {
  /** The secret that the browser keeps. Only its hash is stored. */
  token: string;
  /** Whether the user has signed in before, but not in this browser. */
  isNew: boolean;
}

/**
 * Recognizes the browser of a sign-in by the token that it keeps, never by its address, and remembers it for the user.
 * People who share a browser share its token.
 */
export async function recognizeDevice(
  db: Db,
  { userId, token, now }: { userId: string; token: string | null; now: Date },
): Promise<Device> {
  const presented = token ?? createToken();
  const tokenHash = hashToken(presented);
  const expiresAt = secondsAfter(now, DEVICE_SECONDS);
  // One statement: the query sees the devices as they were before the insert.
  const known = await db
    .with("remembered", (db) =>
      db.insertInto("devices")
        .values({ user_id: userId, token_hash: tokenHash, created_at: now, expires_at: expiresAt })
        .onConflict((conflict) => conflict.columns(["user_id", "token_hash"]).doUpdateSet({ expires_at: expiresAt })))
    .selectFrom("devices").select("token_hash")
    .where("user_id", "=", userId).where("expires_at", ">", now)
    .orderBy(sql`token_hash = ${tokenHash}`, "desc").limit(1).executeTakeFirst();
  return { token: presented, isNew: known !== undefined && known.token_hash !== tokenHash };
}

/** Forgets the browsers in which the user has signed in since then, or all of them. Someone else may have used them. */
export async function forgetDevices(
  db: Db,
  { userId, since }: { userId: string; since?: Date },
): Promise<void> {
  await db.deleteFrom("devices").where("user_id", "=", userId)
    .$if(since !== undefined, (query) => query.where("created_at", ">=", since!)).execute();
}
