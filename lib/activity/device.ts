import type { Db } from "../../db/schema.ts";
import { createToken, hashToken } from "../crypto/token.ts";
import { DAY_SECONDS, secondsAfter } from "../duration.ts";

/** How long a browser is recognized after the last sign-in. Browsers keep no cookie for longer. */
export const DEVICE_SECONDS = 400 * DAY_SECONDS;

/** How many users of one browser are recognized: those who signed in last. */
export const DEVICE_USERS = 5;

/** A browser in which a user signs in. */
export interface Device {
  /** The secrets that the browser keeps, one for each of its users, the latest first. Only their hashes are stored. */
  tokens: string[];
  /** Whether the user has signed in before, but not in this browser. */
  isNew: boolean;
}

/**
 * Recognizes the browser of a sign-in by the tokens that it keeps, never by its address, and remembers it for the user.
 * A browser that is new for the user gets a new token. A presented one is never remembered for another user: someone
 * may have planted it in this browser, to be taken for it later.
 */
export async function recognizeDevice(
  db: Db,
  { userId, tokens, now }: { userId: string; tokens: string[]; now: Date },
): Promise<Device> {
  const known = await rememberKnown(db, { userId, tokens, now });
  const own = known ?? createToken();
  const isNew = known === undefined && await rememberNew(db, { userId, token: own, now });
  return { tokens: [own, ...tokens.filter((token) => token !== own)].slice(0, DEVICE_USERS), isNew };
}

/** Returns the token that was issued to this user, if there is one, and extends it. */
async function rememberKnown(
  db: Db,
  { userId, tokens, now }: { userId: string; tokens: string[]; now: Date },
): Promise<string | undefined> {
  if (tokens.length === 0) return undefined;
  const found = await db.updateTable("devices").set({ expires_at: secondsAfter(now, DEVICE_SECONDS) })
    .where("user_id", "=", userId).where("token_hash", "in", tokens.map(hashToken)).where("expires_at", ">", now)
    .returning("token_hash").execute();
  return tokens.find((token) => found.some(({ token_hash }) => token_hash === hashToken(token)));
}

/** Remembers a new browser. Returns whether the user is known in others. */
async function rememberNew(
  db: Db,
  { userId, token, now }: { userId: string; token: string; now: Date },
): Promise<boolean> {
  const expiresAt = secondsAfter(now, DEVICE_SECONDS);
  // One statement: the query sees the devices as they were before the insert.
  const other = await db
    .with("remembered", (db) =>
      db.insertInto("devices")
        .values({ user_id: userId, token_hash: hashToken(token), created_at: now, expires_at: expiresAt }))
    .selectFrom("devices").select("token_hash")
    .where("user_id", "=", userId).where("expires_at", ">", now).limit(1).executeTakeFirst();
  return other !== undefined;
}

/** Whether the account of this address knows the browser that keeps these tokens. */
export async function isKnownDevice(
  db: Db,
  { email, tokens, now }: { email: string; tokens: string[]; now: Date },
): Promise<boolean> {
  if (tokens.length === 0) return false;
  const device = await db.selectFrom("devices").innerJoin("users", "users.id", "devices.user_id").select("users.id")
    .where("users.email", "=", email).where("token_hash", "in", tokens.map(hashToken)).where("expires_at", ">", now)
    .executeTakeFirst();
  return device !== undefined;
}

/** Forgets the browsers in which the user has signed in since then, or all of them. Someone else may have used them. */
export async function forgetDevices(
  db: Db,
  { userId, since }: { userId: string; since?: Date },
): Promise<void> {
  await db.deleteFrom("devices").where("user_id", "=", userId)
    .$if(since !== undefined, (query) => query.where("created_at", ">=", since!)).execute();
}
