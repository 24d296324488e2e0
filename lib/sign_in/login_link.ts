import type { Transaction } from "kysely";
import type { Database } from "../../db/schema.ts";
import type { SecondStep } from "../access/second_step.ts";
import type { SessionCredential } from "../access/session.ts";
import { openSession, type SessionClient } from "../access/session_start.ts";
import { inEqualTime } from "../accounts/equal_time.ts";
import { isInvited } from "../accounts/invitation.ts";
import { mayUsePassword } from "../config/passwords_setting.ts";
import { requireOpenDoor } from "../config/sign_in_domains.ts";
import { AppError } from "../errors/errors.ts";
import {
  consumeToken,
  findEmailedLink,
  invalidToken,
  isTokenValid,
  type TokenClaim,
} from "../mail/links/emailed_token.ts";
import type { EmailedTokenTable } from "../mail/kinds.ts";
import type { Services } from "../services/services.ts";
import { lockUserByEmail } from "../users/user_lock.ts";
import { proveAddress } from "./address_proof.ts";
import type { LoginLink } from "./schema.ts";

/** The page that a link opens. */
export const LOGIN_LINK_PAGE = "/login-once";
/** With it begins the token of a link that an operator has printed: every other one obeys SIGN_IN_DOMAINS. */
export const PRINTED_PREFIX = "printed.";
/** Where people add a way to log in, because the link worked once. */
export const ADD_WAY_PAGE = "/settings/sign-in-methods/add";

/** A session that a link has opened, or the second step that comes first. */
export interface LinkLogin {
  /** The page to go to, or null. */
  next: string | null;
  session: SessionCredential | SecondStep;
}

/**
 * Logs in with a link that works once: that of the command line, of an invitation, or after `reportNotMe`. It works
 * whatever PASSWORDS says. An invitation also confirms the address: the link was emailed to it, or an operator has
 * handed it over. The time of an error response does not reveal whether the address has an account.
 *
 * @throws {AppError} INVALID_TOKEN when the token is wrong, used, expired or belongs to another address;
 * ACCOUNT_SUSPENDED; EMAIL_NOT_VERIFIED; PROVIDER_REQUIRED, which a printed link passes. After that, the token still
 * works. Source: docs/rules.md, Passwords.
 */
export async function logInWithLink(
  services: Services,
  { email, token }: LoginLink,
  client: SessionClient,
): Promise<LinkLogin> {
  const isPrinted = token.startsWith(PRINTED_PREFIX);
  if (!isPrinted) requireOpenDoor(services.config, email);
  const { method, ...login } = await inEqualTime(services, email, async (trx) => {
    const user = await lockUserByEmail(trx, email);
    const userId = user?.id ?? "";
    const isInvitation = await isInvited(trx, userId);
    const claim = { userId, token, now: services.now() };
    const next = await consumeToken(trx, await tableOf(trx, services, { claim, isInvitation }), claim);
    if (user === null) throw invalidToken();
    // Nobody has confirmed the address: a stranger may have registered it.
    if (!user.email_verified && !isInvitation) throw new AppError("EMAIL_NOT_VERIFIED", { reason: "login" });
    if (isInvitation) await proveAddress(trx, services, { user, client, proof: { way: "invitation" } });
    const method = isInvitation && !isPrinted ? "invitation" as const : "link" as const;
    return { method, next, session: await openSession(trx, services, { userId, method, client }) };
  });
  services.metrics.countSignIn(method, "methods" in login.session ? "second_step" : "success");
  return login;
}

/** An invitation may be older than the rule that no one gets a new password. */
async function tableOf(
  trx: Transaction<Database>,
  { config }: Pick<Services, "config">,
  { claim, isInvitation }: { claim: TokenClaim; isInvitation: boolean },
): Promise<EmailedTokenTable> {
  const isOlder = isInvitation && !mayUsePassword(config, "first") &&
    await isTokenValid(trx, "password_reset_tokens", claim);
  return isOlder ? "password_reset_tokens" : "login_link_tokens";
}

/**
 * Returns the page to go to after an emailed link that opens nothing because its address needs a provider, or null.
 * Nothing changes.
 */
export async function findNextOfLink(
  { db, now }: Pick<Services, "db" | "now">,
  { email, token }: LoginLink,
): Promise<string | null> {
  const claim = { email, token, now: now() };
  const link = await findEmailedLink(db, "login_link_tokens", claim) ??
    await findEmailedLink(db, "password_reset_tokens", claim);
  return link?.isValid ? link.next ?? null : null;
}

/** Whether the link works. Nothing changes, because email scanners open links too. */
export async function isLoginLinkValid(
  { db, config, now }: Pick<Services, "db" | "config" | "now">,
  { email, token }: LoginLink,
): Promise<boolean> {
  const claim = { email, token, now: now() };
  const link = await findEmailedLink(db, "login_link_tokens", claim);
  if (link !== null || mayUsePassword(config, "first")) return link?.isValid ?? false;
  const older = await findEmailedLink(db, "password_reset_tokens", claim);
  return older !== null && older.isValid && !older.isConfirmed && !older.hasPassword;
}
