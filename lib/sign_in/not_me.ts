import type { Transaction } from "kysely";
import type { Database } from "../../db/schema.ts";
import {
  consumeAddressToken,
  type ConsumedToken,
  findTokenAddress,
  voidAddressTokens,
} from "../mail/links/address_token.ts";
import { removeConsentsSince } from "../grants/consent.ts";
import { forgetAlerts } from "../mail/mail_limits.ts";
import { sendEmail } from "../mail/links/send_email.ts";
import { purgePasskeys } from "./passkeys/passkey_purge.ts";
import { proveAddress } from "./address_proof.ts";
import { changeAddress, findPasswordHash } from "../users/user.ts";
import { keepAccount } from "../users/user_changes.ts";
import type { Client } from "../activity/client.ts";
import { forgetDevices } from "../activity/device.ts";
import { type NewEvent, recordEvents } from "../activity/events.ts";
import { cancelMails } from "../mail/outbox.ts";
import { mayUsePassword } from "../config/passwords_setting.ts";
import { requiredProvider } from "../config/sign_in_domains.ts";
import { secondsAfter } from "../duration.ts";
import type { Services } from "../services/services.ts";
import { dropProviderGroups } from "../groups/provider_groups.ts";
import { removeIdentities } from "./providers/identity_store.ts";
import { removeFactors } from "./second_factor/factor_removal.ts";

const TOKENS = "not_me_tokens";
const REASON = "not_me";

/**
 * Gives an account back to the person who got an alert and says that the reported act was not theirs. Undoes what has
 * been done since: the address that got the alert is the account's again, identities, passkeys, devices and alerts that
 * came later are removed, consents to apps too, and a later closing is canceled. Ends all sessions and API tokens,
 * empties the password, voids all links and emails a link that sets a new password; where no one gets one, a link that
 * logs in once. No limit counts this email. Where SIGN_IN_DOMAINS demands a provider, the owner logs in with that and
 * gets no email.
 *
 * @returns the address of the account.
 * @throws {AppError} INVALID_TOKEN when the token is wrong, used or expired.
 */
export async function reportNotMe(services: Services, token: string, client: Client): Promise<string> {
  const { config, db } = services;
  const now = services.now();
  return await db.transaction().execute(async (trx) => {
    const report = await consumeAddressToken(trx, TOKENS, { token, now });
    const userId = report.user.id;
    const changes = [
      ...await revertAddress(trx, report, now),
      ...await unlinkNewIdentities(trx, { ...report, client }, now),
      ...await removeNewFactors(trx, report),
      ...await passwordChange(trx, report),
      ...await undoClosing(trx, report, {
        firstDueAt: secondsAfter(report.createdAt, config.deletionGraceSeconds),
        now,
      }),
    ];
    await purgePasskeys(trx, { userId, since: report.createdAt, reason: REASON, client, now });
    await removeNewDevicesAndAlerts(trx, report);
    await recordEvents(trx, changes.map((change) => ({ ...change, userId, client })), now);
    await proveAddress(trx, services, { user: report.user, client, proof: { way: "not_me" } });
    await removeConsentsSince(trx, { userId, since: report.createdAt });
    await cancelMails(trx, { userId });
    await forgetAlerts(trx, report.email);
    const kind = mayUsePassword(config, "first") ? "recovery" : "recovery_link";
    const needsLink = requiredProvider(config, report.email) === null;
    if (needsLink) await sendEmail(trx, services, { kind, user: { id: userId, email: report.email } });
    return report.email;
  });
}

/** Finds the address that an alert was sent to, or null if its link does not work. Nothing changes. */
export async function findAlertedAddress({ db, now }: Services, token: string): Promise<string | null> {
  return await findTokenAddress(db, TOKENS, { token, now: now() });
}

type Change = Pick<NewEvent, "kind" | "details">;

async function revertAddress(
  trx: Transaction<Database>,
  { user: { id: userId, email: from }, email: to }: ConsumedToken,
  now: Date,
): Promise<Change[]> {
  if (from === to) return [];
  await changeAddress(trx, { userId, email: to, now });
  return [{ kind: "email.reverted", details: { from, to } }];
}

async function unlinkNewIdentities(
  trx: Transaction<Database>,
  { user, createdAt, client }: ConsumedToken & { client: Client },
  now: Date,
): Promise<Change[]> {
  const providers = await removeIdentities(trx, user.id, { since: createdAt }, now);
  await dropProviderGroups(trx, { providers, event: { userId: user.id, client }, now });
  return providers.map((provider) => ({ kind: "identity.unlinked", details: { provider, reason: REASON } }));
}

/** Someone else may know the newer factors, and the recovery codes that were made for an older one. */
async function removeNewFactors(trx: Transaction<Database>, { user, createdAt }: ConsumedToken): Promise<Change[]> {
  const userId = user.id;
  await trx.deleteFrom("recovery_codes").where("user_id", "=", userId).where("created_at", ">=", createdAt).execute();
  const newer = await trx.selectFrom("totp_secrets").select("user_id")
    .where("user_id", "=", userId).where("enabled_at", ">=", createdAt).executeTakeFirst();
  await trx.updateTable("totp_secrets").set({ pending_secret: null, pending_until: null })
    .where("user_id", "=", userId).execute();
  if (newer === undefined) return [];
  await removeFactors(trx, userId);
  return [{ kind: "totp.disabled", details: { reason: REASON } }];
}

async function passwordChange(trx: Transaction<Database>, { user }: ConsumedToken): Promise<Change[]> {
  const hadOne = await findPasswordHash(trx, user.id) !== null;
  return hadOne ? [{ kind: "password.changed", details: { reason: REASON } }] : [];
}

/** Keeps an account that was closed since the act: its deletion is then due at `firstDueAt` or later. */
async function undoClosing(
  trx: Transaction<Database>,
  { user }: ConsumedToken,
  { firstDueAt, now }: { firstDueAt: Date; now: Date },
): Promise<Change[]> {
  const wasClosing = await keepAccount(trx, { id: user.id, firstDueAt, now });
  return wasClosing ? [{ kind: "account.kept", details: { reason: REASON } }] : [];
}

/** Some of the later alerts went to the address of the thief, who could take the account again with their links. */
async function removeNewDevicesAndAlerts(
  trx: Transaction<Database>,
  { user, createdAt }: ConsumedToken,
): Promise<void> {
  await forgetDevices(trx, { userId: user.id, since: createdAt });
  await voidAddressTokens(trx, TOKENS, { userId: user.id, since: createdAt });
}
