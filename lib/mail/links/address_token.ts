import type { Transaction } from "kysely";
import { v7 } from "uuid";
import type { Database, Db } from "../../../db/schema.ts";
import { createToken, hashToken } from "../../crypto/token.ts";
import type { AddressTokenTable } from "../kinds.ts";
import { invalidToken, type NewToken, voidTokens } from "./emailed_token.ts";
import { lockUser } from "../../users/user_lock.ts";
import type { FullUserRow } from "../../users/user_row.ts";

/** Issues a token for an email to this address. Only its hash is stored. */
export async function issueAddressToken(
  db: Db,
  table: AddressTokenTable,
  { userId, email, now, expiresAt, replacesEarlier }: NewToken & { email: string },
): Promise<string> {
  if (replacesEarlier) await voidTokens(db, table, userId);
  const token = createToken();
  await db.insertInto(table).values({
    id: v7({ msecs: now.getTime() }),
    user_id: userId,
    token_hash: hashToken(token),
    email,
    created_at: now,
    expires_at: expiresAt,
  }).execute();
  return token;
}

/** Finds the address that a valid token was emailed to, or null. Nothing changes, because scanners open links too. */
export async function findTokenAddress(
  db: Db,
  table: AddressTokenTable,
  { token, now }: { token: string; now: Date },
): Promise<string | null> {
  const row = await db.selectFrom(table).select("email").where("token_hash", "=", hashToken(token))
    .where("used", "=", false).where("expires_at", ">", now).executeTakeFirst();
  return row?.email ?? null;
}

/** Finds the address of the newest token of a user that still works, or null. */
export async function findNewestAddress(
  db: Db,
  table: AddressTokenTable,
  { userId, now }: { userId: string; now: Date },
): Promise<string | null> {
  const row = await db.selectFrom(table).select("email").where("user_id", "=", userId)
    .where("used", "=", false).where("expires_at", ">", now)
    .orderBy("created_at", "desc").orderBy("id", "desc").limit(1).executeTakeFirst();
  return row?.email ?? null;
}

/** A token that has been consumed. */
export interface ConsumedToken {
  /** The user, whose row is locked. */
  user: FullUserRow;
  /** The address that the token was emailed to. */
  email: string;
  createdAt: Date;
}

/**
 * Locks the user's row and consumes the token. Of several concurrent attempts, exactly one succeeds.
 *
 * @throws {AppError} INVALID_TOKEN when the token is wrong, used or expired.
 */
export async function consumeAddressToken(
  trx: Transaction<Database>,
  table: AddressTokenTable,
  { token, now }: { token: string; now: Date },
): Promise<ConsumedToken> {
  const tokenHash = hashToken(token);
  const found = await trx.selectFrom(table).select("user_id").where("token_hash", "=", tokenHash).executeTakeFirst();
  const user = found === undefined ? null : await lockUser(trx, found.user_id);
  const row = await trx.updateTable(table).set({ used: true }).where("token_hash", "=", tokenHash)
    .where("used", "=", false).where("expires_at", ">", now).returning(["email", "created_at"]).executeTakeFirst();
  if (user === null || row === undefined) throw invalidToken();
  return { user, email: row.email, createdAt: row.created_at };
}

/** Voids the tokens that were issued to a user since then. */
export async function voidAddressTokens(
  db: Db,
  table: AddressTokenTable,
  { userId, since }: { userId: string; since: Date },
): Promise<void> {
  await db.updateTable(table).set({ used: true }).where("user_id", "=", userId).where("created_at", ">=", since)
    .execute();
}
