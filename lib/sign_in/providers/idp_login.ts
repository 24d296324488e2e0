import { isAddressAssumed } from "../../accounts/first_admin.ts";
import type { Transaction } from "kysely";
import type { Database } from "../../../db/schema.ts";
import { isUniqueViolation } from "../../../db/database_errors.ts";
import type { Client } from "../../activity/client.ts";
import { requireAdmission } from "../../accounts/admission.ts";
import { providerName } from "../../accounts/identities.ts";
import { recordEvent } from "../../activity/events.ts";
import { requireOpenDoor } from "../../config/sign_in_domains.ts";
import { takeProviderGroups } from "../../groups/provider_groups.ts";
import { AppError, IdpError } from "../../errors/errors.ts";
import type { IdpIdentity } from "../../services/identity_provider.ts";
import type { Services } from "../../services/services.ts";
import { sendAlert } from "../../mail/links/alert.ts";
import type { MailServices } from "../../mail/links/send_email.ts";
import { type IdpAccount, idpAccountOf } from "./idp_account.ts";
import { findSubject, findUserId, insertIdentity, isAddressOfOther, refreshAddress } from "./identity_store.ts";
import { proveAddress } from "../address_proof.ts";
import { countSignIn, type SignedIn } from "../sign_in_count.ts";
import { findReservation } from "../../users/reserved_address.ts";
import { openSession, type SessionClient } from "../../access/session_start.ts";
import { insertUser } from "../../users/user.ts";
import { lockUser } from "../../users/user_lock.ts";
import { type FullUserRow, USER_COLUMNS, userOfRow } from "../../users/user_row.ts";
import { updateUser } from "../../users/user_changes.ts";

/** From where someone signs in, and what changing an account depends on. */
interface Circumstances {
  services: MailServices & Pick<Services, "databaseTime">;
  client: Client;
}

/**
 * Opens a session for the person whom the identity provider has signed in, or asks for the second factor. The account
 * is found by subject or by address, or else created. Concurrent sign-ins of one person create one account.
 *
 * The account of a known subject keeps its data when the provider's data changes: the person may have edited it here.
 *
 * @throws {IdpError} idp_email when the address is invalid, unverified or reserved, or when another subject of the
 * provider has it or is linked to its account; registration_closed when the person has no account and may not open one;
 * idp_failed when the account with this address is deleted during the sign-in.
 * @throws {AppError} PROVIDER_REQUIRED when the address, or that of the account, needs another provider;
 * ACCOUNT_SUSPENDED.
 */
export async function signInWithIdp(
  services: Services,
  identity: IdpIdentity,
  client: SessionClient,
): Promise<SignedIn> {
  return await countSignIn(services, "idp", signInTwice(services, idpAccountOf(identity, services), client));
}

async function signInTwice(services: Services, account: IdpAccount, client: SessionClient): Promise<SignedIn> {
  requireOpenDoor(services.config, account.email, account.provider);
  try {
    return await trySignIn(services, account, client);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    // A concurrent sign-in has added the subject or the address. The second attempt finds it.
    return await trySignIn(services, account, client);
  }
}

async function trySignIn(services: Services, account: IdpAccount, client: SessionClient): Promise<SignedIn> {
  return await services.db.transaction().execute(async (trx) => {
    const row = await findOrCreateUser(trx, account, { services, client });
    const { provider, groups } = account;
    await takeProviderGroups(trx, services, { provider, groups, event: { userId: row.id, client } });
    const session = await openSession(trx, services, { userId: row.id, method: "idp", provider, client });
    return { user: userOfRow(row, services), session };
  });
}

/**
 * Inserts before looking up the address: of several concurrent sign-ins, the unique keys let exactly one create the
 * user.
 */
async function findOrCreateUser(
  trx: Transaction<Database>,
  account: IdpAccount,
  circumstances: Circumstances,
): Promise<FullUserRow> {
  const known = await lockKnownUser(trx, account);
  if (known !== null) {
    await refreshAddress(trx, account);
    return known;
  }
  if (await isAddressOfOther(trx, account)) {
    throw new IdpError("idp_email", "The address belongs to another subject of the provider");
  }
  return await createIdpUser(trx, account, circumstances) ??
    await lockKnownUser(trx, account) ??
    await linkUserByEmail(trx, account, circumstances);
}

/**
 * Finds the user of a subject, and locks the row until the transaction ends. Otherwise ending the sessions could
 * deadlock with a password reset.
 */
async function lockKnownUser(trx: Transaction<Database>, account: IdpAccount): Promise<FullUserRow | null> {
  const userId = await findUserId(trx, account);
  if (userId === null) return null;
  const user = await lockUser(trx, userId);
  // The identity may have been removed while this transaction waited for the lock.
  return await findUserId(trx, account) === userId ? user : null;
}

async function createIdpUser(
  trx: Transaction<Database>,
  account: IdpAccount,
  { services, client }: Circumstances,
): Promise<FullUserRow | null> {
  const now = services.now();
  const { email, name, avatar } = account;
  const { config: { publicUserEmails: emailVisible }, requestLanguage: language } = services;
  const row = await insertUser(
    trx,
    { email, name, passwordHash: null, emailVisible, language, provider: "idp", avatar, isVerified: true },
    now,
  );
  if (row === null) return null;
  requireAdmissionOf(account, services);
  if (await findReservation(trx, { email, userId: row.id, now }) !== null) {
    throw new IdpError("idp_email", "The address is reserved for the account that has replaced it");
  }
  await insertIdentity(trx, row.id, { ...account, now });
  await recordEvent(trx, { kind: "user.registered", userId: row.id, client, details: { method: "idp" } }, now);
  return row;
}

/** Only after the insert is it known that the person has no account. The error undoes the insert. */
function requireAdmissionOf({ email }: IdpAccount, { config }: Pick<Services, "config">): void {
  try {
    requireAdmission(config, { email, by: "person" });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new IdpError("registration_closed", "REGISTRATION or ALLOWED_EMAIL_DOMAINS refuses a new account");
  }
}

async function linkUserByEmail(
  trx: Transaction<Database>,
  account: IdpAccount,
  { services, client }: Circumstances,
): Promise<FullUserRow> {
  const now = services.now();
  const { provider, subject, email } = account;
  const row = await trx.selectFrom("users").select(USER_COLUMNS).where("email", "=", email).forNoKeyUpdate()
    .executeTakeFirst();
  if (row === undefined) throw new IdpError("idp_failed", "The account with this address has just been deleted");
  const linked = await findSubject(trx, { userId: row.id, provider });
  // A concurrent callback of the same person held the lock and linked the account.
  if (linked === subject) return row;
  if (linked !== null) throw new IdpError("idp_email", "The address belongs to the account of another subject");
  if (await isAddressAssumed(trx, row.id)) {
    throw new IdpError("idp_email", "The first admin has this address, and has not confirmed it");
  }
  const { name, avatar } = account;
  await proveAddress(trx, services, { user: row, client, proof: { way: "provider", name, avatar } });
  await recordEvent(trx, { kind: "identity.linked", userId: row.id, client, details: { provider } }, now);
  await insertIdentity(trx, row.id, { ...account, now });
  if (row.email_verified) {
    const named = { provider: providerName(services.config, provider) };
    await sendAlert(trx, services, { kind: "identity_linked", userId: row.id, client, now, details: named });
  }
  return await updateUser(trx, { id: row.id, now }, row.email_verified ? { avatar: row.avatar ?? avatar } : {});
}
