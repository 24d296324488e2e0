import type { Transaction } from "kysely";
import type { Database, UserRow } from "../../db/schema.ts";
import { secondsAfter } from "../duration.ts";
import { cancelMails, mayQueueMail, queueMail } from "../mail/outbox.ts";
import type { ForgotPassword, PasswordReset } from "../schemas/account.ts";
import type { Services } from "../services.ts";
import { endVerification } from "../accounts/email_verification.ts";
import { inEqualTime } from "../accounts/equal_time.ts";
import { consumeToken, invalidToken, issueToken, isTokenGood, voidTokens } from "../accounts/emailed_token.ts";
import { resetMail } from "../mail/messages.ts";
import { hashPassword } from "../crypto/password.ts";
import { endSessionsOfUser } from "../accounts/session.ts";
import { findUserRowByEmail, lockUserRow, lockUserRowByEmail, NAMELESS, userOfRow } from "../accounts/user.ts";

const TOKENS = "password_reset_tokens";

/**
 * Queues a password reset email if the address has an account that received fewer than three within the hour. Neither
 * the response nor its time reveals whether it did. A new link voids the earlier ones.
 */
export async function requestPasswordReset(services: Services, { email }: ForgotPassword): Promise<void> {
  const { config, db } = services;
  const now = services.now();
  await inEqualTime(db, email, async (trx) => {
    const row = await lockUserRowByEmail(trx, email);
    const mayQueue = await mayQueueMail(trx, { kind: "reset", userId: row?.id ?? "", now });
    if (row === null || !mayQueue) return;
    await endPasswordReset(trx, row.id);
    const expiresAt = secondsAfter(now, config.resetTokenTtlSeconds);
    const token = await issueToken(trx, TOKENS, { userId: row.id, now, expiresAt });
    const mail = resetMail(userOfRow(row), token, config);
    await queueMail(trx, { kind: "reset", userId: row.id, mail, expiresAt, now, config });
  });
}

/**
 * Sets the password, ends all sessions of the user and marks the address as verified, because the link was mailed to it.
 * If the account was unverified, someone else may have registered it, so its profile is cleared too. The time of a
 * refusal does not reveal whether the address has an account.
 *
 * @throws {AppError} INVALID_TOKEN when the token is wrong, used, expired or belongs to another address.
 * Source: spec, Password reset token.
 */
export async function resetPassword(services: Services, { email, token, password }: PasswordReset): Promise<void> {
  const { db, config, now } = services;
  // Checked before hashing, which would let strangers keep the processor busy.
  const userId = await inEqualTime(db, email, async (trx) => {
    const found = await findUserRowByEmail(trx, email);
    if (found === null || !await isTokenGood(trx, TOKENS, { userId: found.id, token, now: now() })) {
      throw invalidToken();
    }
    return found.id;
  });
  const passwordHash = await hashPassword(password, config.pbkdf2Iterations);
  await db.transaction().execute(async (trx) => {
    const user = await lockUserRow(trx, userId);
    if (user === null) throw invalidToken();
    await consumeToken(trx, TOKENS, { userId: user.id, token, now: now() });
    await trx.updateTable("users").set({
      password_hash: passwordHash,
      email_verified: true,
      updated_at: now(),
      ...(user.email_verified ? {} : disownedProfile(user)),
    }).where("id", "=", user.id).execute();
    await endPasswordReset(trx, user.id);
    await endVerification(trx, user.id);
    await endSessionsOfUser(trx, user.id);
  });
}

/**
 * The profile of an account whose owner has only now proved the address: someone else may have registered it. An
 * unverified account without a password was created by an invitation, which keeps its name.
 */
function disownedProfile({ password_hash, name }: UserRow) {
  return { name: password_hash === null ? name : NAMELESS, bio: "", location: "", website: "", avatar: null };
}

/** Voids the links that set a password, including those in emails that are still queued. */
export async function endPasswordReset(trx: Transaction<Database>, userId: string): Promise<void> {
  await voidTokens(trx, TOKENS, userId);
  await cancelMails(trx, { kinds: ["reset", "invitation"], userId });
}
