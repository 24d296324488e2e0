import { v7 } from "uuid";
import type { Db } from "../../db/schema.ts";
import type { Config } from "../config.ts";
import { secondsAfter } from "../duration.ts";
import { AppError } from "../errors.ts";
import type { EmailVerification } from "../schemas/account.ts";
import type { Services } from "../services.ts";
import { endSessionsOfUser } from "./session.ts";
import { createToken, hashToken } from "./token.ts";

/** Issues a token that proves the user reads the mail sent to the address. */
export async function issueVerificationToken(
  db: Db,
  { userId, now, config }: { userId: string; now: Date; config: Config },
): Promise<string> {
  const token = createToken();
  await db.insertInto("email_verification_tokens").values({
    id: v7({ msecs: now.getTime() }),
    user_id: userId,
    token_hash: await hashToken(token),
    expires_at: secondsAfter(now, config.verifyTokenTtlSeconds),
  }).execute();
  return token;
}

/**
 * Marks the address as verified and ends every session of the account but the one that asks: whoever registered
 * the address may not own it. With `reject` the owner disowns the account, and it is deleted.
 *
 * @param askingSessionId the session of the request, if it has one.
 * @throws {AppError} INVALID_TOKEN when the token is wrong, used, expired or of another address.
 */
export async function verifyEmail(
  { db, now }: Services,
  { email, token, reject }: EmailVerification,
  askingSessionId?: string,
): Promise<void> {
  const tokenHash = await hashToken(token);
  await db.transaction().execute(async (trx) => {
    const userId = await consumeVerificationToken(trx, { email, tokenHash, now: now() });
    if (reject) {
      await trx.deleteFrom("users").where("id", "=", userId).where("email_verified", "=", false).execute();
      return;
    }
    await trx.updateTable("users").set({ email_verified: true, updated_at: now() }).where("id", "=", userId).execute();
    await voidVerificationTokens(trx, userId);
    await endSessionsOfUser(trx, userId, askingSessionId);
  });
}

/** Spends the token: of two that try at once, one gets the row. */
async function consumeVerificationToken(
  db: Db,
  { email, tokenHash, now }: { email: string; tokenHash: string; now: Date },
): Promise<string> {
  const row = await db.updateTable("email_verification_tokens").from("users").set({ used: true })
    .whereRef("users.id", "=", "email_verification_tokens.user_id").where("users.email", "=", email)
    .where("token_hash", "=", tokenHash).where("used", "=", false).where("expires_at", ">", now)
    .returning("user_id").executeTakeFirst();
  if (row === undefined) throw new AppError("INVALID_TOKEN", "Invalid or expired verification token");
  return row.user_id;
}

async function voidVerificationTokens(db: Db, userId: string): Promise<void> {
  await db.updateTable("email_verification_tokens").set({ used: true })
    .where("user_id", "=", userId).where("used", "=", false).execute();
}
