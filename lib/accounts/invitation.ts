import type { Transaction } from "kysely";
import type { Database, Db } from "../../db/schema.ts";
import type { AtCommit } from "../../db/at_commit.ts";
import { type Actor, recordEvent } from "../activity/events.ts";
import type { Config } from "../config/config.ts";
import { mayUsePassword } from "../config/passwords_setting.ts";
import { requiredProvider } from "../config/sign_in_domains.ts";
import { AppError } from "../errors/errors.ts";
import type { Invitation } from "../sign_in/schema.ts";
import type { MailFacts } from "../mail/kinds.ts";
import type { Services } from "../services/services.ts";
import type { LinkTarget } from "../mail/links/emailed_token.ts";
import { issueLink, sendEmail } from "../mail/links/send_email.ts";
import { actorIn, type AnyCaller } from "../access/principal.ts";
import { requireAdmission, requireAllowedDomain } from "./admission.ts";
import { providerName } from "./identities.ts";
import { createUser, type NewUser } from "../users/user.ts";
import { invitedUsers } from "../users/user_status.ts";
import { type User, userOfRow } from "../users/user_row.ts";

/**
 * Creates a user without a password and sends an email with a link that sets one. Setting it verifies the address and
 * logs in. Where no one gets a new password, the link itself does. Where SIGN_IN_DOMAINS demands a provider, it leads
 * there.
 *
 * @throws {AppError} as `requireAdmission` does; EMAIL_TAKEN when the address already has a user; UNAUTHENTICATED when
 * the inviter has been deleted.
 */
export async function inviteUser(
  services: Services,
  caller: AnyCaller,
  { name, email, next }: Omit<Invitation, "next"> & LinkTarget,
  atCommit?: AtCommit<User>,
): Promise<User> {
  requireAdmission(services.config, { email, by: "inviter" });
  const inviter = caller.user ?? caller.service;
  const now = services.now();
  return await services.db.transaction().execute(async (trx) => {
    if (caller.user !== undefined) await requireInviter(trx, caller.user.id);
    const user = userOfRow(await createUser(trx, invitedUser(services, { name, email }), now), services);
    const invitation = invitationMail(services.config, { email, name, inviter: inviter.name });
    await sendEmail(trx, services, { ...invitation, user, next });
    await recordEvent(trx, {
      kind: "user.registered",
      userId: user.id,
      ...actorIn(caller),
      details: { method: "invitation" },
    }, now);
    await atCommit?.(trx, user);
    return user;
  });
}

/**
 * Creates a user without a password, whatever REGISTRATION says, and returns the link that sets one. Nothing is
 * emailed: the caller hands the link over.
 *
 * @throws {AppError} as `requireAllowedDomain` does; EMAIL_TAKEN when the address already has a user.
 */
export async function createInvitedUser(
  services: Services,
  { name, email, next, by }: Omit<Invitation, "next"> & LinkTarget & { by: Actor },
): Promise<{ user: User; link: string; expiresAt: Date }> {
  requireAllowedDomain(services.config, email);
  const now = services.now();
  return await services.db.transaction().execute(async (trx) => {
    const user = userOfRow(await createUser(trx, invitedUser(services, { name, email }), now), services);
    const issued = await issueLink(trx, services, { kind: invitationKind(services.config, email), user, next });
    const details = { method: "invitation" };
    await recordEvent(trx, { kind: "user.registered", userId: user.id, ...by, details }, now);
    return { user, ...issued };
  });
}

/** The emails that invite someone. */
export type InvitationKind = "invitation" | "invitation_link" | "invitation_provider";

function invitationKind(config: Config, email: string): InvitationKind {
  if (requiredProvider(config, email) !== null) return "invitation_provider";
  return mayUsePassword(config, "first") ? "invitation" : "invitation_link";
}

/** The email that invites someone, and what it states. */
export function invitationMail(
  config: Config,
  { email, ...names }: { email: string; name: string; inviter: string },
): { kind: InvitationKind; facts: MailFacts["invitation_provider"] } {
  const kind = invitationKind(config, email);
  const provider = providerName(config, requiredProvider(config, email) ?? "");
  return { kind, facts: { ...names, provider } };
}

/** No one has asked the person whether others may see the address, so PUBLIC_USER_EMAILS decides. */
function invitedUser(
  { config, requestLanguage: language }: Pick<Services, "config" | "requestLanguage">,
  { name, email }: Pick<Invitation, "name" | "email">,
): NewUser {
  return { name, email, passwordHash: null, emailVisible: config.publicUserEmails, language };
}

/** Whether the account comes from an invitation that nobody has accepted. */
export async function isInvited(db: Db, userId: string): Promise<boolean> {
  return await invitedUsers(db).where("id", "=", userId).executeTakeFirst() !== undefined;
}

/** Keeps the inviter from being deleted until the transaction ends: the event of the invitation refers to them. */
async function requireInviter(trx: Transaction<Database>, id: string): Promise<void> {
  const row = await trx.selectFrom("users").select("id").where("id", "=", id).forKeyShare().executeTakeFirst();
  if (row === undefined) throw new AppError("UNAUTHENTICATED", { reason: "account" });
}
