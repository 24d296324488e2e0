import type { Transaction } from "kysely";
import type { Database } from "../../db/schema.ts";
import { cancelMails, mayQueueMail } from "../mail/outbox.ts";
import type { EmailVerification, ResendVerification } from "../schemas/account.ts";
import type { Services } from "../services.ts";
import { consumeToken, invalidToken, voidTokens } from "./emailed_token.ts";
import { inEqualTime } from "./equal_time.ts";
import { sendLinkEmail } from "./link_email.ts";
import { endSessionsOfUser } from "./session.ts";
import { lockUserByEmail } from "./user.ts";

const TOKENS = "email_verification_tokens";

/**
 * Queues another verification email if the address has an unverified account that got fewer than three within the last
 * hour. Neither the response nor its time reveals whether it did. Earlier links stay valid.
 */
export async function resendVerification(services: Services, { email }: ResendVerification): Promise<void> {
  const { config, db } = services;
  const now = services.now();
  await inEqualTime(db, email, async (trx) => {
    const row = await lockUserByEmail(trx, email);
    const mayQueue = await mayQueueMail(trx, { kind: "verification", userId: row?.id ?? "", now });
    if (row === null || row.email_verified || !mayQueue) return;
    await sendLinkEmail(trx, { kind: "verification", user: row, now, config });
  });
}

/**
 * Marks the address as verified and ends every session of the account except the current one: someone else may have
 * registered the address. With `reject`, the owner of the address disowns the account, and it is deleted. The response
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
    const user = await lockUserByEmail(trx, email);
    await consumeToken(trx, TOKENS, { userId: user?.id ?? "", token, now: now() });
    if (user === null) throw invalidToken();
    if (reject) return await deleteRejectedUser(trx, user.id);
    await trx.updateTable("users").set({ email_verified: true, updated_at: now() }).where("id", "=", user.id).execute();
    await voidVerificationLinks(trx, user.id);
    await endSessionsOfUser(trx, user.id, currentSessionId);
  });
}

/** Cancels the queued emails first: they outlive their user, and their links no longer work. */
async function deleteRejectedUser(trx: Transaction<Database>, userId: string): Promise<void> {
  await cancelMails(trx, { kinds: ["verification", "reset", "invitation"], userId });
  await trx.deleteFrom("users").where("id", "=", userId).where("email_verified", "=", false).execute();
}

/** Voids all verification links of the user and cancels the queued emails that carry them. */
export async function voidVerificationLinks(trx: Transaction<Database>, userId: string): Promise<void> {
  await voidTokens(trx, TOKENS, userId);
  await cancelMails(trx, { kinds: ["verification"], userId });
}
