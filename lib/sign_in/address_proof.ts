import type { Transaction } from "kysely";
import type { Database } from "../../db/schema.ts";
import { type AccessEndReason, endAccess } from "../access/access_end.ts";
import { hasSession } from "../access/session.ts";
import { endAssumption, isAddressAssumed } from "../accounts/first_admin.ts";
import { isInvited } from "../accounts/invitation.ts";
import type { Client } from "../activity/client.ts";
import { forgetDevices } from "../activity/device.ts";
import { recordEvent } from "../activity/events.ts";
import { voidCodes } from "../mail/links/emailed_code.ts";
import { voidLinks } from "../mail/links/emailed_token.ts";
import { NO_TEXTS } from "../schemas/profile_rules.ts";
import type { Services } from "../services/services.ts";
import { disownUploads } from "../uploads/removal.ts";
import { AppError } from "../errors/errors.ts";
import { DEFAULT_NAME } from "../users/user.ts";
import type { AddressRow } from "../users/user_row.ts";
import { updateUser, type UserChanges } from "../users/user_changes.ts";
import { purgePasskeys } from "./passkeys/passkey_purge.ts";
import { voidFactorResets } from "./second_factor/factor_removal.ts";

/** How someone has proved that the address of an account is theirs. */
export type AddressProof =
  /**
   * The link that confirms the address. Usually the registrant follows it, so it keeps what they have entered, the
   * links that set a password, and the session that asks. The link has a button for the owner of the address who is not
   * the registrant: it deletes the account.
   */
  | { way: "verification"; currentSessionId?: string }
  /** The link that sets a password. Null: the setup of the first admin, where no one gets a new one. */
  | { way: "reset"; passwordHash: string | null }
  /** The link of an invitation, where it opens the account without a password. */
  | { way: "invitation" }
  /** A code that logs in. */
  | { way: "code" }
  /** A login with a provider that vouches for the address. The provider knows the person's name and photo. */
  | { way: "provider"; name: string; avatar: string | null }
  /** The link of an alert. What else has happened since then is undone by `reportNotMe`. */
  | { way: "not_me" };

/** The reasons that the events of ended sessions and tokens state. */
const END_REASONS: Record<AddressProof["way"], AccessEndReason> = {
  verification: "email_verified",
  reset: "password_reset",
  invitation: "email_verified",
  code: "email_verified",
  provider: "identity_linked",
  not_me: "not_me",
};

/** The methods that the event of a verified address states. */
const METHODS = {
  verification: "link",
  reset: "reset",
  invitation: "invitation",
  code: "code",
  provider: "idp",
  not_me: "not_me",
};

/**
 * Gives the account to the owner of its address: voids links and codes, ends all sessions and API tokens, and marks the
 * address as verified. If it was unverified, a stranger may have registered it, and nothing of theirs stays. The
 * password is replaced or emptied, which stops a removal of factors that was asked for with it. A login to a verified
 * account with a code or a provider changes nothing.
 *
 * Second factors and identities stay: only a verified account can have them. The caller holds the user's lock.
 *
 * @throws {AppError} EMAIL_NOT_VERIFIED when the account is the first admin's, and its address was never confirmed.
 */
export async function proveAddress(
  trx: Transaction<Database>,
  services: Pick<Services, "now" | "databaseTime" | "requestLanguage">,
  { user: { id: userId, email_verified: wasVerified }, client, proof }: {
    user: Pick<AddressRow, "id" | "email_verified">;
    client: Client;
    proof: AddressProof;
  },
): Promise<void> {
  const { way } = proof;
  if (way === "verification") await endAssumption(trx, userId);
  else if (await isAddressAssumed(trx, userId)) throw new AppError("EMAIL_NOT_VERIFIED", { reason: "login" });
  if (wasVerified && (way === "code" || way === "provider")) return;
  const now = services.now();
  await voidLinks(trx, userId, "email_verification_tokens");
  if (way !== "verification") {
    await voidLinks(trx, userId, "password_reset_tokens", "login_link_tokens");
    await voidCodes(trx, userId);
    await voidFactorResets(trx, userId);
  }
  const exceptId = way === "verification" ? proof.currentSessionId : undefined;
  await endAccess(trx, { userId, exceptId }, { reason: END_REASONS[way], client, now });
  const profile = wasVerified ? {} : await disownRegistrant(trx, services, { userId, client, proof });
  await updateUser(trx, { id: userId, now }, { ...profile, ...passwordAfter(proof), email_verified: true });
  if (wasVerified) return;
  await recordEvent(trx, { kind: "user.verified", userId, client, details: { method: METHODS[way] } }, now);
}

function passwordAfter(proof: AddressProof): UserChanges {
  if (proof.way === "verification") return {};
  return { password_hash: proof.way === "reset" ? proof.passwordHash : null };
}

/**
 * Removes what the registrant of an unverified account has left in it. Returns the profile that replaces theirs. An
 * invited account keeps its name.
 */
async function disownRegistrant(
  trx: Transaction<Database>,
  { now: currentTime, databaseTime, requestLanguage }: Pick<Services, "now" | "databaseTime" | "requestLanguage">,
  { userId, client, proof }: { userId: string; client: Client; proof: AddressProof },
): Promise<UserChanges> {
  const now = currentTime();
  const purge = { userId, reason: "unverified", client, now } as const;
  if (proof.way === "verification") {
    // In a session of the account, it is the registrant who asks.
    if (!await hasSession(trx, userId)) await purgePasskeys(trx, purge);
    return {};
  }
  await forgetDevices(trx, { userId });
  await purgePasskeys(trx, purge);
  await disownUploads(trx, { userId, databaseTime, now });
  const emptied = { ...NO_TEXTS, language: null, registration_language: requestLanguage?.tag ?? null };
  if (proof.way === "provider") return { ...emptied, name: proof.name, avatar: proof.avatar };
  return { ...emptied, ...await isInvited(trx, userId) ? {} : { name: DEFAULT_NAME }, avatar: null };
}
