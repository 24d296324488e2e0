import { secondsAfter } from "../duration.ts";
import { queueMail } from "../mail/outbox.ts";
import type { Invitation } from "../schemas/account.ts";
import type { Services } from "../services.ts";
import { issueToken } from "./emailed_token.ts";
import { invitationMail } from "../mail/messages.ts";
import { createUser, type User } from "./user.ts";

/**
 * Creates a user without a password and queues a mail with a link that sets one. Following it verifies the address.
 *
 * @throws {AppError} EMAIL_TAKEN when the address already has a user.
 */
export async function inviteUser(services: Services, { name, email }: Invitation): Promise<User> {
  const { config, db } = services;
  const now = services.now();
  const invited = await db.transaction().execute(async (trx) => {
    const user = await createUser(trx, { name, email, passwordHash: null }, now);
    const expiresAt = secondsAfter(now, config.invitationTtlSeconds);
    const token = await issueToken(trx, "password_reset_tokens", { userId: user.id, now, expiresAt });
    const mail = invitationMail(user, token, config);
    await queueMail(trx, { kind: "invitation", userId: user.id, mail, expiresAt, now, config });
    return user;
  });
  services.outboxSignal.wake();
  return invited;
}
