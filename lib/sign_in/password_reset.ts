import type { Transaction } from "kysely";
import type { Database } from "../../db/schema.ts";
import type { EventDetails } from "../activity/tables.ts";
import type { SecondStep } from "../access/second_step.ts";
import type { SessionCredential } from "../access/session.ts";
import { type NewSession, openSession, type SessionClient } from "../access/session_start.ts";
import { recordEvent } from "../activity/events.ts";
import type { ForgotPassword, PasswordReset } from "./schema.ts";
import type { Services } from "../services/services.ts";
import {
  consumeToken,
  type EmailedLink,
  findEmailedLink,
  invalidToken,
  isTokenValid,
  type LinkTarget,
} from "../mail/links/emailed_token.ts";
import { inEqualTime } from "../accounts/equal_time.ts";
import { requestEmail } from "../accounts/email_request.ts";
import { isAddressAssumed } from "../accounts/first_admin.ts";
import { isInvited } from "../accounts/invitation.ts";
import { mayUsePassword, requirePasswordUse } from "../config/passwords_setting.ts";
import { requireOpenDoor } from "../config/sign_in_domains.ts";
import { hasPassword } from "../users/user.ts";
import { lockUser } from "../users/user_lock.ts";
import { hashPassword } from "../crypto/password.ts";
import { AppError } from "../errors/errors.ts";
import { requireStrongPassword } from "../passwords/new_password.ts";
import { forgetGuesses } from "./account_limit.ts";
import { proveAddress } from "./address_proof.ts";

const TOKENS = "password_reset_tokens";

/**
 * Sends a password reset email if the address has an account that got fewer than three within the last hour, and is
 * not that of a first admin who has not confirmed it. Where no one gets a new password, only accounts with one get the
 * email. Neither the response nor its time reveals whether it did. A new link voids earlier ones.
 *
 * @returns whether the address has now been requested so often that it gets no more. This also holds for unknown
 * addresses.
 * @throws {AppError} PROVIDER_REQUIRED; PASSWORDS_OFF.
 */
export async function requestPasswordReset(
  services: Services,
  { email, next }: ForgotPassword & LinkTarget,
): Promise<boolean> {
  const { config } = services;
  requireOpenDoor(config, email);
  requirePasswordUse(config, "open");
  const mayGet = async (trx: Transaction<Database>, id: string) =>
    !await isAddressAssumed(trx, id) &&
    (mayUsePassword(config, "first") || await hasPassword(trx, id));
  return await requestEmail(services, { kind: "reset", email, next }, ({ id }, trx) => mayGet(trx, id));
}

/** An emailed link that sets a password. */
export interface PasswordLink extends EmailedLink {
  /** Whether PASSWORDS lets it set one: it may be older than the setting. */
  isAllowed: boolean;
}

/** Looks at an emailed link that sets a password. Nothing changes, because email scanners open links too. */
export async function findPasswordLink(
  { db, config, now }: Services,
  { email, token }: { email: string; token: string },
): Promise<PasswordLink | null> {
  const link = await findEmailedLink(db, TOKENS, { email, token, now: now() });
  return link && { ...link, isAllowed: mayUsePassword(config, link.hasPassword ? "open" : "first") };
}

/** The result of a reset. */
export interface PasswordResetResult {
  /** The page to go to once logged in, or null. */
  next: string | null;
  /** The session, or the second step that comes first; null if the account is suspended. */
  session: SessionCredential | SecondStep | null;
  /** Whether the link accepted an invitation. */
  isAccepted: boolean;
}

/**
 * Sets the password, ends all sessions and API tokens of the user and marks the address as verified, because the link
 * was emailed to it. If the account was unverified, someone else may have registered it, so its profile is cleared and
 * its passkeys are removed too. The time of an error response does not reveal whether the address has an account.
 *
 * Then it opens a session, or asks for the second factor: the link stands for the first step only. The session counts
 * as one that was opened with the new password, so it proves no more than a login with it. A suspended account gets the
 * password and no session. If it was invited, it gets neither.
 *
 * @throws {AppError} INVALID_TOKEN when the token is wrong, used, expired or belongs to another address;
 * VALIDATION_FAILED when the password is easy to guess; ACCOUNT_SUSPENDED when the account was invited and then
 * suspended; PROVIDER_REQUIRED; PASSWORDS_OFF. After the last four, the token still works. Source: docs/rules.md,
 * Password reset.
 */
export async function resetPassword(
  services: Services,
  { email, token, password }: PasswordReset,
  client: SessionClient,
): Promise<PasswordResetResult> {
  const { db, config, metrics, now } = services;
  requireOpenDoor(config, email);
  requirePasswordUse(config, "open");
  // Check the token before hashing: otherwise anyone could keep the processor busy.
  const { id: userId, name } = await inEqualTime(services, email, async (trx) => {
    const found = await trx.selectFrom("users").select(["id", "name"]).where("email", "=", email).executeTakeFirst();
    const isValid = await isTokenValid(trx, TOKENS, { userId: found?.id ?? "", token, now: now() });
    if (found === undefined || !isValid) throw invalidToken();
    if (!await hasPassword(trx, found.id)) requirePasswordUse(config, "first");
    return found;
  });
  await requireStrongPassword(services, { password, person: { name, email }, field: "password" });
  const passwordHash = await hashPassword(password, { iterations: config.pbkdf2Iterations, owner: client.address });
  const { next, method, session } = await db.transaction().execute(async (trx) => {
    const user = await lockUser(trx, userId);
    if (user === null) throw invalidToken();
    const next = await consumeToken(trx, TOKENS, { userId: user.id, token, now: now() });
    const isAccepted = await isInvited(trx, userId);
    await proveAddress(trx, services, { user, client, proof: { way: "reset", passwordHash } });
    const details: EventDetails = isAccepted ? { method: "invitation" } : {};
    await recordEvent(trx, { kind: "password.reset", userId: user.id, client, details }, now());
    await forgetGuesses(trx, { id: userId, email });
    const method = isAccepted ? "invitation" : "password";
    return { next, method, session: await enter(trx, services, { userId, method, client }) } as const;
  });
  if (session !== null) metrics.countSignIn(method, "methods" in session ? "second_step" : "success");
  return { next, session, isAccepted: method === "invitation" };
}

/** Opens a session. Only an invitation waits for the end of a suspension; a new password is there already. */
async function enter(
  trx: Transaction<Database>,
  services: Services,
  session: NewSession,
): Promise<PasswordResetResult["session"]> {
  try {
    return await openSession(trx, services, session);
  } catch (error) {
    const isSuspended = error instanceof AppError && error.is("ACCOUNT_SUSPENDED");
    if (isSuspended && session.method !== "invitation") return null;
    throw error;
  }
}
