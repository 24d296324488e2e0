import { endAssumption } from "../accounts/first_admin.ts";
import type { Transaction } from "kysely";
import type { Database } from "../../db/schema.ts";
import { DAY_SECONDS, secondsAfter } from "../duration.ts";
import { AppError } from "../errors/errors.ts";
import { countInWindow } from "../limits/request_window.ts";
import {
  consumeAddressToken,
  findNewestAddress,
  findTokenAddress,
  issueAddressToken,
} from "../mail/links/address_token.ts";
import { sendAlert } from "../mail/links/alert.ts";
import { isDomainAllowed, requireAllowedDomain } from "../accounts/admission.ts";
import { requiredProvider, requireOpenDoor } from "../config/sign_in_domains.ts";
import { inEqualTime } from "../accounts/equal_time.ts";
import { voidLinks } from "../mail/links/emailed_token.ts";
import { lifetimeOf, sendEmail } from "../mail/links/send_email.ts";
import { lockPrincipal, type Principal } from "../access/principal.ts";
import { findReservation } from "../users/reserved_address.ts";
import { changeAddress } from "../users/user.ts";
import type { Client } from "../activity/client.ts";
import { recordEvent } from "../activity/events.ts";
import type { EmailChange } from "./schema.ts";
import type { Services } from "../services/services.ts";
import { voidCodes } from "../mail/links/emailed_code.ts";
import { requireRecentProof } from "./proof.ts";
import { voidFactorResets } from "./second_factor/factor_removal.ts";

const TOKENS = "email_change_tokens";
/** How many other addresses an account may name before one is confirmed. */
const MAX_CORRECTIONS = 3;
/** In effect forever: unconfirmed accounts are deleted sooner. */
const CORRECTIONS_SECONDS = 36_500 * DAY_SECONDS;

/**
 * Emails a link to the new address, and alerts the current one. An address that already has an account, or is reserved
 * for one, gets an email that says so instead, and one that has had three of these emails within the hour gets none.
 * The change then waits too, but no link confirms it. Neither the response, nor its time, nor {@linkcode
 * findPendingEmailChange} reveals which. A new link replaces an earlier one. The caller counts the email.
 *
 * @throws {AppError} REAUTHENTICATION_REQUIRED; PROVIDER_REQUIRED; VALIDATION_FAILED when the domain is not allowed;
 * EMAIL_NOT_VERIFIED when an account without a confirmed address has already named three others; UNAUTHENTICATED when
 * the session has ended in the meantime.
 */
export async function requestEmailChange(
  services: Services,
  principal: Principal,
  { email }: EmailChange,
): Promise<void> {
  await requireRecentProof(services, principal, "access");
  requireOpenDoor(services.config, email);
  requireAllowedDomain(services.config, email);
  const { user: { id: userId }, client } = principal;
  const now = services.now();
  await inEqualTime(services, email, async (trx) => {
    const { email_verified: isVerified } = await lockPrincipal(trx, principal, now);
    if (!isVerified) await countCorrection(trx, { userId, email, now });
    const holder = await findHolder(trx, { email, userId, now });
    // The lock on the address, which every request for it takes, keeps concurrent requests within the limits.
    const isSent = holder === null
      ? await sendEmail(trx, services, { kind: "email_change", user: { id: userId, email } })
      : await sendEmail(trx, services, { kind: "email_in_use", user: { id: holder, email } });
    if (holder !== null || !isSent) {
      const expiresAt = secondsAfter(now, lifetimeOf("email_change", services.config));
      // Nobody gets this token. Its row makes the change wait, as for any other address.
      await issueAddressToken(trx, TOKENS, { userId, email, now, expiresAt });
      return;
    }
    await sendAlert(trx, services, {
      kind: "email_change_requested",
      userId,
      client,
      now,
      details: { newEmail: email },
    });
  });
}

/** Counts the addresses that an account names before one is confirmed. Asking for the same link again is free. */
async function countCorrection(
  trx: Transaction<Database>,
  { userId, email, now }: { userId: string; email: string; now: Date },
): Promise<void> {
  if (await findNewestAddress(trx, TOKENS, { userId, now }) === email) return;
  const counted = { policy: "corrections", clients: [`user:${userId}`], windowSeconds: CORRECTIONS_SECONDS, now };
  const [{ requests }] = await countInWindow(trx, counted);
  if (requests > MAX_CORRECTIONS) throw new AppError("EMAIL_NOT_VERIFIED", { reason: "action" });
}

/** Returns the address that the user asked for last and has not confirmed yet, or null if no change is waiting. */
export async function findPendingEmailChange(
  { db, now }: Pick<Services, "db" | "now">,
  userId: string,
): Promise<string | null> {
  return await findNewestAddress(db, TOKENS, { userId, now: now() });
}

/**
 * Ends the change that is waiting. Its link no longer works, and its email is not sent if it is still in the queue.
 *
 * @throws {AppError} UNAUTHENTICATED when the session has ended in the meantime.
 */
export async function cancelEmailChange(
  { db, now }: Pick<Services, "db" | "now">,
  principal: Principal,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockPrincipal(trx, principal, now());
    await voidLinks(trx, principal.user.id, TOKENS);
  });
}

/**
 * Gives the account the address that the link was emailed to, and alerts the old one. Sessions stay. Links and queued
 * emails for the old address are void, except its alerts.
 *
 * @returns the id of the user, and the new address.
 * @throws {AppError} INVALID_TOKEN when the token is wrong, used or expired; PROVIDER_REQUIRED; VALIDATION_FAILED when
 * the domain is not allowed, or no longer; EMAIL_TAKEN when another account has taken the address in the meantime.
 */
export async function confirmEmailChange(
  services: Services,
  token: string,
  client: Client,
): Promise<{ userId: string; email: string }> {
  const now = services.now();
  return await services.db.transaction().execute(async (trx) => {
    const { user: { id: userId, email: from }, email: to } = await consumeAddressToken(trx, TOKENS, { token, now });
    requireOpenDoor(services.config, to);
    requireAllowedDomain(services.config, to);
    await sendAlert(trx, services, { kind: "email_changed", userId, client, now, details: { newEmail: to } });
    await changeAddress(trx, { userId, email: to, now });
    // The address before may be a stranger's, who must not be able to take it back.
    if (await endAssumption(trx, userId)) await voidLinks(trx, userId, "not_me_tokens");
    await voidLinks(trx, userId, TOKENS, "password_reset_tokens", "login_link_tokens", "email_verification_tokens");
    await voidCodes(trx, userId);
    await voidFactorResets(trx, userId);
    await recordEvent(trx, { kind: "email.changed", userId, client, details: { from, to } }, now);
    return { userId, email: to };
  });
}

/**
 * Finds the address that a link confirms, and whether an account may have it, or null if the link does not work.
 * Nothing changes.
 */
export async function findEmailChange(
  { db, config, now }: Services,
  token: string,
): Promise<{ email: string; isAllowed: boolean } | null> {
  const email = await findTokenAddress(db, TOKENS, { token, now: now() });
  if (email === null) return null;
  return { email, isAllowed: isDomainAllowed(config, email) && requiredProvider(config, email) === null };
}

/** Returns the account that has the address, even if it is this one, or another one for which it is reserved. */
async function findHolder(
  trx: Transaction<Database>,
  { email, userId, now }: { email: string; userId: string; now: Date },
): Promise<string | null> {
  const owner = await trx.selectFrom("users").select("id").where("email", "=", email).executeTakeFirst();
  return owner?.id ?? await findReservation(trx, { email, userId, now });
}
