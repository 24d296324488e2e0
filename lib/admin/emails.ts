import { recordEvent } from "../activity/events.ts";
import { requirePasswordUse } from "../config/passwords_setting.ts";
import { HOUR_SECONDS } from "../duration.ts";
import { AppError } from "../errors/errors.ts";
import { sendEmail } from "../mail/links/send_email.ts";
import { getMail, type ListedMail, retryMail } from "../mail/outbox_list.ts";
import type { Db } from "../../db/schema.ts";
import type { Services } from "../services/services.ts";
import { type AdminAct, lockAccount, type LockedAccount, reasonIn } from "./locked_account.ts";

/** An email that an operator may send for someone. */
type SentKind = "reset" | "verification";

/**
 * Emails a link that sets a password.
 *
 * @throws {AppError} PASSWORDS_OFF, also for an account without a password where no one gets a new one; NOT_FOUND;
 * ACCOUNT_SUSPENDED; RATE_LIMITED after three within an hour.
 */
export async function sendReset(services: Services, act: AdminAct): Promise<void> {
  const { config } = services;
  requirePasswordUse(config, "open");
  await send(services, "reset", act, ({ password_hash: hash }) => {
    if (hash === null) requirePasswordUse(config, "first");
    return true;
  });
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

/** An email as operators see it, without its content. */
export type ListedEmail = ListedMail;

/**
 * Finds one email.
 *
 * @throws {AppError} NOT_FOUND.
 */
export async function getEmail(db: Db, id: string): Promise<ListedEmail> {
  return await getMail(db, id);
}

/**
 * Sends a waiting email now, as `retryMail` does.
 *
 * @throws {AppError} NOT_FOUND; EMAIL_GONE when it has been sent or has failed.
 */
export async function retryEmail(
  services: Services,
  email: Pick<AdminAct, "by" | "reason"> & { id: string },
): Promise<void> {
  await retryMail(services, email);
}

async function send(
  services: Services,
  kind: SentKind,
  act: AdminAct,
  mayGet: (account: LockedAccount) => boolean = () => true,
): Promise<boolean> {
  const now = services.now();
  return await services.db.transaction().execute(async (trx) => {
    const user = await lockAccount(trx, act);
    if (!mayGet(user)) return false;
    // Its links are void, and must stay so.
    if (user.suspended_at !== null) throw new AppError("ACCOUNT_SUSPENDED");
    if (!await sendEmail(trx, services, { kind, user, now })) {
      throw new AppError("RATE_LIMITED", { reason: "requests", retryAfterSeconds: HOUR_SECONDS });
    }
    const details = { mail: kind, ...reasonIn(act) };
    await recordEvent(trx, { kind: "email.requested", userId: user.id, ...act.by, details }, now);
    return true;
  });
}
