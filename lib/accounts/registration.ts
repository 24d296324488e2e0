import type { AtCommit } from "../../db/at_commit.ts";
import type { Registration } from "../sign_in/schema.ts";
import type { Services } from "../services/services.ts";
import { requirePasswordUse } from "../config/passwords_setting.ts";
import { requireOpenDoor } from "../config/sign_in_domains.ts";
import { hashPassword } from "../crypto/password.ts";
import type { LinkTarget } from "../mail/links/emailed_token.ts";
import { sendEmail } from "../mail/links/send_email.ts";
import { recordEvent } from "../activity/events.ts";
import { requireStrongPassword } from "../passwords/new_password.ts";
import type { SessionCredential } from "../access/session.ts";
import { openSession, type SessionClient } from "../access/session_start.ts";
import { requireAdmission } from "./admission.ts";
import { createUser, type NewUser } from "../users/user.ts";
import { type User, userOfRow } from "../users/user_row.ts";

/** A new user and the session that registering opened. */
export interface Registered {
  user: User;
  session: SessionCredential;
}

/** What a person enters. Programs do not say whether others may see the address. */
type NewAccount = Registration & LinkTarget & Partial<Pick<NewUser, "emailVisible">>;

/**
 * Creates an unverified user, opens a session and sends the verification email, in one transaction.
 *
 * @throws {AppError} PROVIDER_REQUIRED; PASSWORDS_OFF; as `requireAdmission` does; VALIDATION_FAILED when the password
 * is easy to guess; EMAIL_TAKEN when the address already has a user. Source: docs/rules.md, Registration.
 */
export async function register(
  services: Services,
  { name, email, password, next, emailVisible = services.config.publicUserEmails }: NewAccount,
  client: SessionClient,
  atCommit?: AtCommit<Registered>,
): Promise<Registered> {
  const { config, db, requestLanguage: language } = services;
  requireOpenDoor(config, email);
  requirePasswordUse(config, "first");
  requireAdmission(config, { email, by: "person" });
  const now = services.now();
  await requireStrongPassword(services, { password, person: { name, email }, field: "password" });
  const passwordHash = await hashPassword(password, { iterations: config.pbkdf2Iterations, owner: client.address });
  return await db.transaction().execute(async (trx) => {
    const user = userOfRow(await createUser(trx, { email, name, passwordHash, emailVisible, language }, now), services);
    await sendEmail(trx, services, { kind: "verification", user, next });
    const method = "password";
    await recordEvent(trx, { kind: "user.registered", userId: user.id, client, details: { method } }, now);
    const session = await openSession(trx, services, { userId: user.id, method, client, isSecondStepDone: true });
    await atCommit?.(trx, { user, session });
    return { user, session };
  });
}
