import { recordEvent } from "../activity/events.ts";
import { HOUR_SECONDS } from "../duration.ts";
import { AppError } from "../errors.ts";
import { sendEmail } from "../links/send_email.ts";
import type { Services } from "../services.ts";
import { type AdminAct, lockAccount, type LockedAccount } from "./account.ts";

/** An email that an operator may send for someone. */
type SentKind = "reset" | "verification";

/**
 * Emails a link that sets a password.
 *
 * @throws {AppError} NOT_FOUND; ACCOUNT_SUSPENDED; RATE_LIMITED after three within an hour.
 */
export async function sendReset(services: Services, act: AdminAct): Promise<void> {
  await send(services, "reset", act);
}

/**
 * Emails a link that confirms the address again.
 *
 * @returns false if the address is confirmed. Then nothing happens.
 * @throws {AppError} NOT_FOUND; ACCOUNT_SUSPENDED; RATE_LIMITED after three within an hour.
 */
export async function resendConfirmation(services: Services, act: AdminAct): Promise<boolean> {
  return await send(services, "verification", act, ({ email_verified: isVerified }) => !isVerified);
}

async function send(
  services: Services,
  kind: SentKind,
  { who, by }: AdminAct,
  mayGet: (account: LockedAccount) => boolean = () => true,
): Promise<boolean> {
  const now = services.now();
  return await services.db.transaction().execute(async (trx) => {
    const user = await lockAccount(trx, who);
    if (!mayGet(user)) return false;
    // Its links are void, and must stay so.
    if (user.suspended_at !== null) throw new AppError("ACCOUNT_SUSPENDED");
    if (!await sendEmail(trx, services, { kind, user, now })) {
      throw new AppError("RATE_LIMITED", { reason: "requests", retryAfterSeconds: HOUR_SECONDS });
    }
    await recordEvent(trx, { kind: "email.requested", userId: user.id, ...by, details: { mail: kind } }, now);
    return true;
  });
}
