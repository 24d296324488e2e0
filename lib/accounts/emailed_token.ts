import { v7 } from "uuid";
import type { Db } from "../../db/schema.ts";
import { AppError } from "../errors.ts";
import { createToken, hashToken } from "../crypto/token.ts";

/** The tables of the single-use tokens that emails carry. */
export type EmailedTokenTable = "email_verification_tokens" | "password_reset_tokens";

/** Issues a token to the user. Only its hash is stored. Earlier tokens stay valid. */
export async function issueToken(
  db: Db,
  table: EmailedTokenTable,
  { userId, now, expiresAt }: { userId: string; now: Date; expiresAt: Date },
): Promise<string> {
  const token = createToken();
  await db.insertInto(table).values({
    id: v7({ msecs: now.getTime() }),
    user_id: userId,
    token_hash: hashToken(token),
    expires_at: expiresAt,
  }).execute();
  return token;
}

/** A token that a request presents, and the user that it claims to be. */
export interface TokenClaim {
  userId: string;
  token: string;
  now: Date;
}

/**
 * Consumes the user's token. Of several concurrent attempts, exactly one succeeds.
 *
 * @throws {AppError} INVALID_TOKEN when the token is wrong, used, expired or belongs to another user.
 */
export async function consumeToken(
  db: Db,
  table: EmailedTokenTable,
  { userId, token, now }: TokenClaim,
): Promise<void> {
  const row = await db.updateTable(table).set({ used: true })
    .where("token_hash", "=", hashToken(token)).where("user_id", "=", userId)
    .where("used", "=", false).where("expires_at", ">", now)
    .returning("id").executeTakeFirst();
  if (row === undefined) throw invalidToken();
}

/** Whether {@linkcode consumeToken} would accept the token now. */
export async function isTokenValid(
  db: Db,
  table: EmailedTokenTable,
  { userId, token, now }: TokenClaim,
): Promise<boolean> {
  const row = await db.selectFrom(table).select("id")
    .where("token_hash", "=", hashToken(token)).where("user_id", "=", userId)
    .where("used", "=", false).where("expires_at", ">", now)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the error for every invalid token and unknown address. It is the same for all, so it reveals nothing. */
export function invalidToken(): AppError {
  return new AppError("INVALID_TOKEN", "Invalid or expired token");
}

/** Voids all tokens of the user in this table. */
export async function voidTokens(db: Db, table: EmailedTokenTable, userId: string): Promise<void> {
  await db.updateTable(table).set({ used: true }).where("user_id", "=", userId).where("used", "=", false).execute();
}
