import type { Registration } from "../schemas/account.ts";
import type { Services } from "../services.ts";
import { hashPassword } from "../crypto/password.ts";
import { sendLinkEmail } from "./link_email.ts";
import { endSessions, type SessionCredential, startSession } from "./session.ts";
import { createUser, type User } from "./user.ts";

/**
 * Creates an unverified user, opens a session and queues the verification email, in one transaction.
 *
 * @param presentedSessionIds the sessions that the request presents. They end, as they do at a login.
 * @throws {AppError} EMAIL_TAKEN when the address already has a user. Source: spec, Account rule 1.
 */
export async function register(
  services: Services,
  { name, email, password }: Registration,
  presentedSessionIds: string[] = [],
): Promise<{ user: User; session: SessionCredential }> {
  const { config, db } = services;
  const now = services.now();
  const passwordHash = await hashPassword(password, config.pbkdf2Iterations);
  const registered = await db.transaction().execute(async (trx) => {
    const user = await createUser(trx, { email, name, passwordHash }, now);
    await sendLinkEmail(trx, { kind: "verification", user, now, config });
    await endSessions(trx, presentedSessionIds);
    return { user, session: await startSession(trx, { userId: user.id, now, config }) };
  });
  services.outboxSignal.wake();
  return registered;
}
