import type { Transaction } from "kysely";
import type { Database } from "../../db/schema.ts";
import { secondsAfter } from "../duration.ts";
import { cancelMails, mayQueueMail, queueMail } from "../mail/outbox.ts";
import type { EmailVerification, ResendVerification } from "../schemas/account.ts";
import type { Services } from "../services.ts";
import { consumeToken, invalidToken, issueToken, voidTokens } from "./emailed_token.ts";
import { verificationMail } from "../mail/messages.ts";
import { endSessionsOfUser } from "./session.ts";
import { inEqualTime } from "./equal_time.ts";
import { lockUserRowByEmail, type User, userOfRow } from "./user.ts";

const TOKENS = "email_verification_tokens";

/** Queues the email whose link proves that the user receives mail at the address. */
export async function sendVerification(
  trx: Transaction<Database>,
  { user, now, config }: { user: User; now: Date; config: Services["config"] },
): Promise<void> {
  const expiresAt = secondsAfter(now, config.verifyTokenTtlSeconds);
  const token = await issueToken(trx, TOKENS, { userId: user.id, now, expiresAt });
  const mail = verificationMail(user, token, config);
  await queueMail(trx, { kind: "verification", userId: user.id, mail, expiresAt, now, config });
}

/**
 * Queues another verification email if the address has an unverified account that received fewer than three within the
 * hour. Neither the response nor its time reveals whether it did. Earlier links stay valid.
 */
export async function resendVerification(services: Services, { email }: ResendVerification): Promise<void> {
  const { config, db } = services;
  const now = services.now();
  await inEqualTime(db, email, async (trx) => {
    const row = await lockUserRowByEmail(trx, email);
    const mayQueue = await mayQueueMail(trx, { kind: "verification", userId: row?.id ?? "", now });
    if (row === null || row.email_verified || !mayQueue) return;
    await sendVerification(trx, { user: userOfRow(row), now, config });
  });
}

/**
 * Marks the address as verified and ends every session of the account except the current one, because the person who
 * registered the address may not own it. With `reject`, the owner disowns the account and it is deleted. The response
 * time does not reveal whether the address has an account.
 *
 * @param currentSessionId the session of the request, if it has one.
 * @throws {AppError} INVALID_TOKEN when the token is wrong, used, expired or belongs to another address.
 */
export async function verifyEmail(
  { db, now }: Services,
  { email, token, reject }: EmailVerification,
  currentSessionId?: string,
): Promise<void> {
  await inEqualTime(db, email, async (trx) => {
    const user = await lockUserRowByEmail(trx, email);
    if (user === null) throw invalidToken();
    await consumeToken(trx, TOKENS, { userId: user.id, token, now: now() });
    if (reject) {
      await trx.deleteFrom("users").where("id", "=", user.id).where("email_verified", "=", false).execute();
      return;
    }
    await trx.updateTable("users").set({ email_verified: true, updated_at: now() }).where("id", "=", user.id).execute();
    await endVerification(trx, user.id);
    await endSessionsOfUser(trx, user.id, currentSessionId);
  });
}

/** Voids the remaining links and queued emails of an address that has been verified in any way. */
export async function endVerification(trx: Transaction<Database>, userId: string): Promise<void> {
  await voidTokens(trx, TOKENS, userId);
  await cancelMails(trx, { kinds: ["verification"], userId });
}
