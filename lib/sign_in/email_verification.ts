import type { Client } from "../activity/client.ts";
import type { EmailVerification, ResendVerification } from "./schema.ts";
import type { Services } from "../services/services.ts";
import {
  consumeToken,
  type EmailedLink,
  findEmailedLink,
  invalidToken,
  type LinkTarget,
} from "../mail/links/emailed_token.ts";
import { hasSession } from "../access/session.ts";
import { isAddressAssumed } from "../accounts/first_admin.ts";
import { AppError } from "../errors/errors.ts";
import { inEqualTime } from "../accounts/equal_time.ts";
import { requestEmail } from "../accounts/email_request.ts";
import { proveAddress } from "./address_proof.ts";
import { deleteUser } from "../accounts/account_deletion.ts";
import { lockUserByEmail } from "../users/user_lock.ts";

const TOKENS = "email_verification_tokens";

/**
 * Sends another verification email if the address has an unverified account that got fewer than three within the last
 * hour. Neither the response nor its time reveals whether it did. Earlier links stay valid.
 *
 * @returns whether the address has used up its emails of this hour. Requests for unknown addresses count too.
 */
export async function resendVerification(
  services: Services,
  { email, next }: ResendVerification & LinkTarget,
): Promise<boolean> {
  return await requestEmail(
    services,
    { kind: "verification", email, next },
    async (user, trx) => !user.email_verified || await isAddressAssumed(trx, user.id),
  );
}

/**
 * Marks the address as verified, and ends all API tokens of the account and its sessions except the current one:
 * someone else may have registered the address. If the address was unverified and the current session does not belong
 * to the account, the passkeys of the account are removed as well. With `reject`, the owner of the address disowns the
 * account, which is deleted if its address is unverified. The response time does not reveal whether the address has an
 * account.
 *
 * @param currentSessionId the public id of the session of the request, if it has one.
 * @returns the page to go to, or null.
 * @throws {AppError} INVALID_TOKEN when the token is wrong, used, expired or belongs to another address;
 * UNAUTHENTICATED outside of a session of the first admin, whose address may be that of a stranger.
 */
export async function verifyEmail(
  services: Services,
  { email, token, reject }: EmailVerification,
  { client, currentSessionId }: { client: Client; currentSessionId?: string },
): Promise<string | null> {
  const { now } = services;
  return await inEqualTime(services, email, async (trx) => {
    const user = await lockUserByEmail(trx, email);
    const next = await consumeToken(trx, TOKENS, { userId: user?.id ?? "", token, now: now() });
    if (user === null) throw invalidToken();
    if (await isAddressAssumed(trx, user.id) && !await hasSession(trx, user.id, currentSessionId ?? "")) {
      throw new AppError("UNAUTHENTICATED", { reason: "guest" });
    }
    if (reject) {
      if (!user.email_verified) await deleteUser(trx, user, now());
      return null;
    }
    await proveAddress(trx, services, { user, client, proof: { way: "verification", currentSessionId } });
    return next;
  });
}

/** Looks at an emailed link that confirms an address. Nothing changes, because email scanners open links too. */
export async function findVerificationLink(
  { db, now }: Services,
  { email, token }: { email: string; token: string },
): Promise<EmailedLink | null> {
  return await findEmailedLink(db, TOKENS, { email, token, now: now() });
}
