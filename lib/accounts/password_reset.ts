import type { Transaction } from "kysely";
import type { Database, UserRow } from "../../db/schema.ts";
import { secondsAfter } from "../duration.ts";
import { cancelMails, mayQueueMail, queueMail } from "../outbox/queue_mail.ts";
import type { ForgotPassword, PasswordReset } from "../schemas/account.ts";
import type { Services } from "../services.ts";
import { endVerification } from "./email_verification.ts";
import { inEqualTime } from "./equal_time.ts";
import { consumeToken, invalidToken, issueToken, isTokenGood, voidTokens } from "./mailed_token.ts";
import { resetMail } from "./mails.ts";
import { hashPassword } from "./password.ts";
import { endSessionsOfUser } from "./session.ts";
import { findUserRowByEmail, lockUserRow, lockUserRowByEmail, NAMELESS, userOfRow } from "./user.ts";

const TOKENS = "password_reset_tokens";

/**
 * Mails a link that sets a new password where there is an account that has not had three within the hour, and else
 * does nothing; neither the answer nor its time tells which. A new link makes the earlier ones void.
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
  services.outboxSignal.wake();
}

/**
 * Sets the password, ends all sessions of the user and marks the address as verified, since the link was mailed to it.
 *
 * @throws {AppError} INVALID_TOKEN when the token is wrong, used, expired or of another address.
 * Source: spec, Password reset token.
 */
export async function resetPassword(services: Services, { email, token, password }: PasswordReset): Promise<void> {
  const { db, config, now } = services;
  const found = await findUserRowByEmail(db, email);
  if (found === null || !await isTokenGood(db, TOKENS, { userId: found.id, token, now: now() })) throw invalidToken();
  const passwordHash = await hashPassword(password, config.pbkdf2Iterations);
  await db.transaction().execute(async (trx) => {
    const user = await lockUserRow(trx, found.id);
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

/** Makes the links that set a password lead nowhere, those that still wait to be mailed too. */
export async function endPasswordReset(trx: Transaction<Database>, userId: string): Promise<void> {
  await voidTokens(trx, TOKENS, userId);
  await cancelMails(trx, { kinds: ["reset", "invitation"], userId });
}
