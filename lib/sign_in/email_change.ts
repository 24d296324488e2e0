import type { Transaction } from "kysely";
import type { Database } from "../../db/schema.ts";
import { secondsAfter } from "../duration.ts";
import { consumeAddressToken, findNewestAddress, findTokenAddress, issueAddressToken } from "../links/address_token.ts";
import { sendAlert } from "../links/alert.ts";
import { isDomainAllowed, requireAllowedDomain } from "../accounts/admission.ts";
import { inEqualTime } from "../accounts/equal_time.ts";
import { voidLinks } from "../links/emailed_token.ts";
import { lifetimeOf, sendEmail } from "../links/send_email.ts";
import { lockPrincipal, type Principal } from "../access/principal.ts";
import { findReservation } from "../users/reserved_address.ts";
import { changeAddress } from "../users/user.ts";
import type { Client } from "../activity/client.ts";
import { recordEvent } from "../activity/events.ts";
import type { EmailChange } from "../schemas/account.ts";
import type { Services } from "../services.ts";
import { voidCodes } from "../links/emailed_code.ts";
import { requireRecentProof } from "./proof.ts";
import { voidFactorResets } from "./second_factor/factor_removal.ts";

const TOKENS = "email_change_tokens";

/**
 * Emails a link to the new address, and alerts the current one. An address that already has an account, or is reserved for
 * one, gets an email that says so instead. The change then waits too, but no link confirms it. Neither the response, nor
 * its time, nor {@linkcode findPendingEmailChange} reveals which. A new link replaces an earlier one. The caller counts the
 * email.
 *
 * @throws {AppError} REAUTHENTICATION_REQUIRED; VALIDATION_FAILED when the domain is not allowed; UNAUTHENTICATED when the
 * session has ended in the meantime.
 */
export async function requestEmailChange(
  services: Services,
  principal: Principal,
  { email }: EmailChange,
): Promise<void> {
  await requireRecentProof(services, principal);
  requireAllowedDomain(services.config, email);
  const { user: { id: userId }, client } = principal;
  const now = services.now();
  await inEqualTime(services, email, async (trx) => {
    await lockPrincipal(trx, principal, now);
    const holder = await findHolder(trx, { email, userId, now });
    // The lock on the address, which every request for it takes, makes the limit of this email hold.
    if (holder !== null) {
      await sendEmail(trx, services, { kind: "email_in_use", user: { id: holder, email } });
      const expiresAt = secondsAfter(now, lifetimeOf("email_change", services.config));
      // Nobody gets this token. Its row makes the change wait, as for any other address.
      await issueAddressToken(trx, TOKENS, { userId, email, now, expiresAt });
      return;
    }
    await sendEmail(trx, services, { kind: "email_change", user: { id: userId, email } });
    await sendAlert(trx, services, {
      kind: "email_change_requested",
      userId,
      client,
      now,
      details: { newEmail: email },
    });
  });
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
 * @throws {AppError} INVALID_TOKEN when the token is wrong, used or expired; VALIDATION_FAILED when the domain is not
 * allowed, or no longer; EMAIL_TAKEN when another account has taken the address in the meantime.
 */
export async function confirmEmailChange(
  services: Services,
  token: string,
  client: Client,
): Promise<{ userId: string; email: string }> {
  const now = services.now();
  return await services.db.transaction().execute(async (trx) => {
    const { user: { id: userId, email: from }, email: to } = await consumeAddressToken(trx, TOKENS, { token, now });
    requireAllowedDomain(services.config, to);
    await sendAlert(trx, services, { kind: "email_changed", userId, client, now, details: { newEmail: to } });
    await changeAddress(trx, { userId, email: to, now });
    await voidLinks(trx, userId, TOKENS, "password_reset_tokens", "email_verification_tokens");
    await voidCodes(trx, userId);
    await voidFactorResets(trx, userId);
    await recordEvent(trx, { kind: "email.changed", userId, client, details: { from, to } }, now);
    return { userId, email: to };
  });
}

/**
 * Finds the address that a link confirms, and whether an account may have it, or null if the link does not work. Nothing
 * changes.
 */
export async function findEmailChange(
  { db, config, now }: Services,
  token: string,
): Promise<{ email: string; isAllowed: boolean } | null> {
  const email = await findTokenAddress(db, TOKENS, { token, now: now() });
  return email === null ? null : { email, isAllowed: isDomainAllowed(config, email) };
}

/** Returns the account that has the address, even if it is this one, or another one for which it is reserved. */
async function findHolder(
  trx: Transaction<Database>,
  { email, userId, now }: { email: string; userId: string; now: Date },
): Promise<string | null> {
  const owner = await trx.selectFrom("users").select("id").where("email", "=", email).executeTakeFirst();
  return owner?.id ?? await findReservation(trx, { email, userId, now });
}
