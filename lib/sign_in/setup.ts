import type { Transaction } from "kysely";
import type { Database } from "../../db/schema.ts";
import { lockPrincipal, type Principal } from "../access/principal.ts";
import type { SessionCredential } from "../access/session.ts";
import { openSession, type SessionClient } from "../access/session_start.ts";
import { requireAllowedDomain } from "../accounts/admission.ts";
import { claimFirstAdmin, requireSetupToken } from "../accounts/first_admin.ts";
import type { Client } from "../activity/client.ts";
import { recordEvent } from "../activity/events.ts";
import { mayUsePassword, requirePasswordUse } from "../config/passwords_setting.ts";
import { requireOpenDoor } from "../config/sign_in_domains.ts";
import { hashPassword } from "../crypto/password.ts";
import { AppError, validationFailed } from "../errors/errors.ts";
import { sendEmail } from "../mail/links/send_email.ts";
import { requireStrongPassword } from "../passwords/new_password.ts";
import type { Services } from "../services/services.ts";
import { createUser } from "../users/user.ts";
import { updateUser } from "../users/user_changes.ts";
import { lockUserByEmail } from "../users/user_lock.ts";
import { proveAddress } from "./address_proof.ts";
import type { FirstAdmin } from "./schema.ts";

/**
 * Makes the first admin, who can work at once, and opens a session. Nobody has confirmed the address: it counts as
 * confirmed, but no email opens the account until the link in the test email has been followed in a session of it.
 * Whoever registered the address without confirming it loses the account. Where no one gets a new password, there is
 * none, and the person adds another way to log in next.
 *
 * @throws {AppError} NOT_FOUND as {@linkcode requireSetupToken} does; VALIDATION_FAILED when the domain is not allowed
 * or the password is easy to guess; PROVIDER_REQUIRED, PASSWORDS_OFF; EMAIL_TAKEN when the address has a confirmed
 * account: its owner must log in first.
 */
export async function createFirstAdmin(
  services: Services,
  { token, name, email, password }: FirstAdmin & { token: string | null },
  client: SessionClient,
): Promise<SessionCredential> {
  const { config, db, requestLanguage: language } = services;
  const expiresAt = await requireSetupToken(services, token);
  requireOpenDoor(config, email);
  requireAllowedDomain(config, email);
  const passwordHash = await firstPasswordHash(services, { name, email, password }, client);
  const method = passwordHash === null ? "link" : "password";
  const now = services.now();
  return await db.transaction().execute(async (trx) => {
    const found = await lockUserByEmail(trx, email);
    if (found?.email_verified) throw new AppError("EMAIL_TAKEN", { field: "email" });
    if (found !== null) {
      await proveAddress(trx, services, { user: found, client, proof: { way: "reset", passwordHash } });
    }
    const { id: userId } = found ??
      await createUser(trx, { email, name, passwordHash, emailVisible: config.publicUserEmails, language }, now);
    if (found === null) {
      await recordEvent(trx, { kind: "user.registered", userId, client, details: { method } }, now);
    }
    await updateUser(trx, { id: userId, now }, { name });
    await promote(trx, services, { user: { id: userId, email }, expiresAt, isAssumed: true, client });
    return await openSession(trx, services, { userId, method, client, isSecondStepDone: true });
  });
}

async function firstPasswordHash(
  services: Services,
  { name, email, password }: FirstAdmin,
  client: SessionClient,
): Promise<string | null> {
  const { config } = services;
  if (password === undefined && !mayUsePassword(config, "first")) return null;
  requirePasswordUse(config, "first");
  if (password === undefined) throw validationFailed({ password: [{ rule: "required" }] });
  await requireStrongPassword(services, { password, person: { name, email }, field: "password" });
  return await hashPassword(password, { iterations: config.pbkdf2Iterations, owner: client.address });
}

/**
 * Makes a person who is logged in, and has just proved who they are, the first admin.
 *
 * @throws {AppError} NOT_FOUND as {@linkcode requireSetupToken} does; UNAUTHENTICATED when the session has ended.
 */
export async function becomeFirstAdmin(services: Services, principal: Principal, token: string | null): Promise<void> {
  const expiresAt = await requireSetupToken(services, token);
  const { user, client } = principal;
  await services.db.transaction().execute(async (trx) => {
    await lockPrincipal(trx, principal, services.now());
    await promote(trx, services, { user, expiresAt, isAssumed: !user.emailVerified, client });
  });
}

async function promote(
  trx: Transaction<Database>,
  services: Services,
  { user, expiresAt, isAssumed, client }: {
    user: { id: string; email: string };
    expiresAt: Date;
    isAssumed: boolean;
    client: Client;
  },
): Promise<void> {
  const now = services.now();
  await claimFirstAdmin(trx, { expiresAt, userId: user.id, isAssumed, now });
  await updateUser(trx, { id: user.id, now }, { role: "admin", email_verified: true });
  await recordEvent(trx, { kind: "admin.first", userId: user.id, client }, now);
  await sendEmail(trx, services, { kind: "first_admin", user, now });
}
