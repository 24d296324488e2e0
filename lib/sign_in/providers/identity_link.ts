import type { ExpressionBuilder } from "kysely";
import { isUniqueViolation } from "../../../db/database_errors.ts";
import type { Database } from "../../../db/schema.ts";
import { getAccount } from "../../accounts/own_account.ts";
import { providerName } from "../../accounts/identities.ts";
import { eventBy, lockPrincipal, type Principal } from "../../access/principal.ts";
import { recordEvent } from "../../activity/events.ts";
import { createToken, hashToken } from "../../crypto/token.ts";
import { takeProviderGroups } from "../../groups/provider_groups.ts";
import { AppError, IdpError, validationFailed } from "../../errors/errors.ts";
import { type IdentityProvider, type IdpIdentity, requireProvider } from "../../services/identity_provider.ts";
import type { Services } from "../../services/services.ts";
import { sendAlert } from "../../mail/links/alert.ts";
import type { MailServices } from "../../mail/links/send_email.ts";
import { idpAccountOf } from "./idp_account.ts";
import { requireRecentProof } from "../proof.ts";
import { findSubject, insertIdentity } from "./identity_store.ts";
import { invalidState } from "./attempt_end.ts";
import { type BrowserAttempt, type PresentedAttempt, startAttempt } from "./provider_attempt.ts";

/** The page where linking starts, and where it ends if it fails. */
export const SIGN_IN_METHODS_PAGE = "/settings/sign-in-methods";

/**
 * Starts an attempt to link a provider to the principal's account. The address must be confirmed. Otherwise someone
 * could link their own identity to an account with another person's address, and wait until that person confirms it.
 *
 * @returns the URL of the consent screen, and the attempt, which the browser keeps in cookies.
 * @throws {AppError} REAUTHENTICATION_REQUIRED, IDP_NOT_CONFIGURED, EMAIL_NOT_VERIFIED; VALIDATION_FAILED when the
 * provider is unknown or already linked.
 * @throws {IdpError} idp_failed.
 */
export async function startLink(
  services: Services,
  principal: Principal,
  provider: string,
): Promise<{ url: string; attempt: BrowserAttempt }> {
  await requireRecentProof(services, principal, "access");
  const idp = await requireLinkable(services, principal, provider);
  const { user, session } = principal;
  return await startAttempt(services, idp, {
    provider,
    purpose: "link",
    userId: user.id,
    sessionIds: [session.id],
    next: SIGN_IN_METHODS_PAGE,
  });
}

/**
 * Returns a provider that the principal can link to their account.
 *
 * @throws {AppError} as {@linkcode startLink} does, except about the proof.
 */
export async function requireLinkable(
  services: Services,
  principal: Principal,
  provider: string,
): Promise<IdentityProvider> {
  const isUnknown = services.providers.size > 0 && !services.providers.has(provider);
  if (isUnknown) throw validationFailed({ provider: [{ rule: "unknownProvider" }] });
  const idp = requireProvider(services, provider);
  const { email_verified: isVerified, identities } = await getAccount(services, principal);
  if (!isVerified) throw new AppError("EMAIL_NOT_VERIFIED", { reason: "action" });
  if (identities.some((identity) => identity.provider === provider)) {
    throw validationFailed({ provider: [{ rule: "addedProvider" }] });
  }
  return idp;
}

/**
 * Keeps the identity that the provider has confirmed, for the rest of the attempt's time. Nothing is linked yet: the
 * browser comes from another site and does not send its session cookie.
 *
 * @returns the token of the page that completes the link. Only the session that started the attempt can use it.
 * @throws {IdpError} idp_email when nothing confirms the address at the provider: the person could not log in with it.
 */
export async function keepIdentity(
  services: Services,
  { provider, userId, sessionIds, expiresAt }: Omit<PresentedAttempt, "id">,
  identity: IdpIdentity,
): Promise<string> {
  const { subject, email, groups } = idpAccountOf(identity, services);
  const token = createToken();
  await services.db.insertInto("provider_attempts").values({
    id: hashToken(token),
    provider,
    purpose: "link",
    user_id: userId,
    session_ids: sessionIds,
    next: SIGN_IN_METHODS_PAGE,
    subject,
    email,
    groups,
    expires_at: expiresAt,
  }).execute();
  return token;
}

/** Finds the provider of the identity that waits to be linked, and the address there, or null. */
export async function findWaitingIdentity(
  { db, now }: Pick<Services, "db" | "now">,
  principal: Principal,
  token: string,
): Promise<{ provider: string; email: string } | null> {
  const row = await db.selectFrom("provider_attempts").select(["provider", "email"])
    .where(waiting(principal, token, now())).executeTakeFirst();
  return row === undefined ? null : { provider: row.provider, email: row.email! };
}

/**
 * Links the identity that waits for it. Of several concurrent requests, exactly one does. The address of the account
 * and its sessions stay as they are. Alerts the user.
 *
 * @throws {AppError} INVALID_STATE when no identity waits in this session, or when the account has one of the provider;
 * UNAUTHENTICATED when the session has ended in the meantime.
 * @throws {IdpError} idp_email when the identity, or another one with its address, belongs to another account.
 */
export async function linkIdentity(
  services: MailServices & Pick<Services, "db" | "log">,
  principal: Principal,
  token: string,
): Promise<void> {
  try {
    await services.db.transaction().execute(async (trx) => {
      const now = services.now();
      const { id: userId } = await lockPrincipal(trx, principal, now);
      const kept = await trx.deleteFrom("provider_attempts").where(waiting(principal, token, now))
        .returning(["provider", "subject", "email", "groups"]).executeTakeFirst();
      if (kept === undefined) throw invalidState();
      const { provider, subject, email } = kept;
      if (await findSubject(trx, { userId, provider }) !== null) throw invalidState();
      await insertIdentity(trx, userId, { provider, subject: subject!, email: email!, now });
      const details = { provider };
      await recordEvent(trx, { ...eventBy(principal), kind: "identity.linked", details }, now);
      await takeProviderGroups(trx, services, { provider, groups: kept.groups, event: eventBy(principal) });
      const named = { provider: providerName(services.config, provider) };
      const { client } = principal;
      await sendAlert(trx, services, { kind: "identity_linked", userId, client, now, details: named });
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw new IdpError("idp_email", "The identity belongs to another account");
    throw error;
  }
}

/**
 * Matches the attempt of a token if the principal's session has started it, and the provider has confirmed a subject.
 */
function waiting({ user, session }: Principal, token: string, now: Date) {
  return (eb: ExpressionBuilder<Database, "provider_attempts">) =>
    eb.and([
      eb("id", "=", hashToken(token)),
      eb("user_id", "=", user.id),
      eb(eb.val(session.id), "=", eb.fn.any("session_ids")),
      eb("subject", "is not", null),
      eb("expires_at", ">", now),
    ]);
}
