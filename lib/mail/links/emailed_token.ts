import { v7 } from "uuid";
import type { Db } from "../../../db/schema.ts";
import { AppError } from "../../errors/errors.ts";
import { createToken, hashToken } from "../../crypto/token.ts";
import { type AddressTokenTable, type EmailedTokenTable, mailsWith } from "../kinds.ts";
import { invitedUsers } from "../../users/user_status.ts";
import { cancelMails } from "../outbox.ts";

/** The page of this site to go to once an emailed link has been used. */
export interface LinkTarget {
  next?: string | null;
}

/** A token to issue. */
export interface NewToken {
  userId: string;
  now: Date;
  expiresAt: Date;
  /** Whether it voids the user's earlier tokens of its table. */
  replacesEarlier?: boolean;
  /** What the token begins with, where that says something about it. */
  prefix?: string;
}

/** Issues a token to the user. Only its hash is stored. */
export async function issueToken(
  db: Db,
  table: EmailedTokenTable,
  { userId, now, expiresAt, replacesEarlier, prefix = "", next }: NewToken & LinkTarget,
): Promise<string> {
  if (replacesEarlier) await voidTokens(db, table, userId);
  const token = prefix + createToken();
  await db.insertInto(table).values({
    id: v7({ msecs: now.getTime() }),
    user_id: userId,
    token_hash: hashToken(token),
    expires_at: expiresAt,
    next,
  }).execute();
  return token;
}

/** A token that a request presents, and the user to whom it must have been issued. */
export interface TokenClaim {
  userId: string;
  token: string;
  now: Date;
}

/**
 * Consumes the user's token. Of several concurrent attempts, exactly one succeeds.
 *
 * @returns the page to go to, or null.
 * @throws {AppError} INVALID_TOKEN when the token is wrong, used, expired or belongs to another user.
 */
export async function consumeToken(
  db: Db,
  table: EmailedTokenTable,
  { userId, token, now }: TokenClaim,
): Promise<string | null> {
  const row = await db.updateTable(table).set({ used: true })
    .where("token_hash", "=", hashToken(token)).where("user_id", "=", userId)
    .where("used", "=", false).where("expires_at", ">", now)
    .returning("next").executeTakeFirst();
  if (row === undefined) throw invalidToken();
  return row.next;
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

/** What the holder of an emailed link may know about it. */
export interface EmailedLink extends LinkTarget {
  isValid: boolean;
  /** Whether the address has been confirmed, by this link or in another way. */
  isConfirmed: boolean;
  /** Whether the account has a password. */
  hasPassword: boolean;
}

/**
 * Looks at a link without consuming its token. The query does not contain the address, so its time reveals nothing
 * about addresses.
 *
 * @returns null when the token is unknown, or its user has another address.
 */
export async function findEmailedLink(
  db: Db,
  table: EmailedTokenTable,
  { email, token, now }: { email: string; token: string; now: Date },
): Promise<EmailedLink | null> {
  const row = await db.selectFrom(table).innerJoin("users", "users.id", "user_id")
    .select(["email", "email_verified", "used", "expires_at", "next"])
    .select((eb) => eb("password_hash", "is not", null).as("hasPassword"))
    .where("token_hash", "=", hashToken(token)).executeTakeFirst();
  if (row === undefined || row.email !== email) return null;
  const { email_verified: isConfirmed, hasPassword, next } = row;
  return { isValid: !row.used && row.expires_at > now, isConfirmed, hasPassword: Boolean(hasPassword), next };
}

/** Returns the error for every invalid token and unknown address. It is the same for all, so it reveals nothing. */
export function invalidToken(): AppError {
  return new AppError("INVALID_TOKEN");
}

/** Voids the links with tokens of these tables, of a user or of all, and cancels the queued emails that carry them. */
export async function voidLinks(
  db: Db,
  userId: string | undefined,
  ...tables: (EmailedTokenTable | AddressTokenTable)[]
): Promise<void> {
  for (const table of tables) {
    await voidTokens(db, table, userId);
    await cancelMails(db, { kinds: mailsWith({ tokens: table }), userId });
  }
}

/** Voids the tokens of this table, of a user or of all. The queued emails that carry them stay. */
export async function voidTokens(db: Db, table: EmailedTokenTable | AddressTokenTable, userId?: string): Promise<void> {
  await db.updateTable(table).set({ used: true }).where("used", "=", false)
    .$if(userId !== undefined, (query) => query.where("user_id", "=", userId!)).execute();
}

/** Voids all links that set a password or log someone in, except those of invitations. */
export async function voidLinksExceptInvitations(db: Db): Promise<void> {
  for (const table of ["password_reset_tokens", "login_link_tokens"] as const) {
    await db.updateTable(table).set({ used: true }).where("used", "=", false)
      .where("user_id", "not in", invitedUsers(db)).execute();
  }
}
