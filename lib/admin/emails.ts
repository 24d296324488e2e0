import type { Transaction } from "kysely";
import { invitationMail, isInvited } from "../accounts/invitation.ts";
import { recordEvent } from "../activity/events.ts";
import { mayUsePassword } from "../config/passwords_setting.ts";
import { requiredProvider, requireOpenDoor } from "../config/sign_in_domains.ts";
import { HOUR_SECONDS } from "../duration.ts";
import { AppError } from "../errors/errors.ts";
import { voidLinks } from "../mail/links/emailed_token.ts";
import { sendEmail } from "../mail/links/send_email.ts";
import { getMail, type ListedMail, retryMail } from "../mail/outbox_list.ts";
import type { Database, Db } from "../../db/schema.ts";
import type { Services } from "../services/services.ts";
import { type AdminAct, lockAccount, type LockedAccount, reasonIn } from "./locked_account.ts";

/** An email that an operator may send for someone. */
type SentMail =
  | { kind: "reset" | "verification" | "login_link"; facts?: undefined }
  | ReturnType<typeof invitationMail>;

/**
 * Emails a link that sets a password. Where PASSWORDS gives the account none, the link logs in once instead; that of an
 * invitation also confirms the address. Earlier links of both kinds stop working. Where SIGN_IN_DOMAINS demands a
 * provider, only an invitation is sent again.
 *
 * @throws {AppError} NOT_FOUND; ACCOUNT_SUSPENDED; EMAIL_NOT_VERIFIED for someone who has registered, where PASSWORDS
 * is off; PROVIDER_REQUIRED; RATE_LIMITED after three within an hour.
 */
export async function sendReset(services: Services, act: AdminAct): Promise<void> {
  await send(services, act, async (trx, account) => {
    await voidLinks(trx, account.id, "password_reset_tokens", "login_link_tokens");
    return await accessMail(trx, services, account);
  });
}

async function accessMail(
  trx: Transaction<Database>,
  { config }: Services,
  { id, name, email, password_hash: hash, email_verified: isVerified }: LockedAccount,
): Promise<SentMail> {
  const isInvitation = await isInvited(trx, id);
  const invitation = () => invitationMail(config, { email, name, inviter: "" });
  if (isInvitation && requiredProvider(config, email) !== null) return invitation();
  requireOpenDoor(config, email);
  if (mayUsePassword(config, hash === null ? "first" : "open")) return { kind: "reset" };
  if (isVerified) return { kind: "login_link" };
  // A stranger may have registered it, so no link logs in.
  if (!isInvitation) throw new AppError("EMAIL_NOT_VERIFIED", { reason: "loginLink" });
  return invitation();
}

/**
 * Emails a link that confirms the address again.
 *
 * @returns false if the address is confirmed. Then nothing happens.
 * @throws {AppError} NOT_FOUND; ACCOUNT_SUSPENDED; RATE_LIMITED after three within an hour.
 */
export async function resendConfirmation(services: Services, act: AdminAct): Promise<boolean> {
  return await send(services, act, (_, { email_verified: isVerified }) => isVerified ? null : { kind: "verification" });
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
  act: AdminAct,
  choose: (trx: Transaction<Database>, account: LockedAccount) => Promise<SentMail> | SentMail | null,
): Promise<boolean> {
  const now = services.now();
  return await services.db.transaction().execute(async (trx) => {
    const user = await lockAccount(trx, act);
    const mail = await choose(trx, user);
    if (mail === null) return false;
    // Its links are void, and must stay so.
    if (user.suspended_at !== null) throw new AppError("ACCOUNT_SUSPENDED");
    if (!await sendEmail(trx, services, { ...mail, user, now })) {
      throw new AppError("RATE_LIMITED", { reason: "requests", retryAfterSeconds: HOUR_SECONDS });
    }
    const details = { mail: mail.kind, ...reasonIn(act) };
    await recordEvent(trx, { kind: "email.requested", userId: user.id, ...act.by, details }, now);
    return true;
  });
}
