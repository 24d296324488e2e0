import type { Transaction } from "kysely";
import { v7 } from "uuid";
import type { Database, DatabaseTime, Db, UserRow } from "../../../db/schema.ts";
import { isUniqueViolation } from "../../../db/database_errors.ts";
import type { Client } from "../../activity/client.ts";
import { forgetDevices } from "../../activity/device.ts";
import { type NewEvent, recordEvent, recordEvents } from "../../activity/events.ts";
import { IdpError } from "../../errors.ts";
import type { IdpIdentity, Services } from "../../services.ts";
import { DEFAULT_IDENTITY } from "../../accounts/account.ts";
import { disownUploads } from "../../accounts/avatar.ts";
import { voidVerificationLinks } from "../../accounts/email_verification.ts";
import { type IdpAccount, idpAccountOf } from "./idp_account.ts";
import { voidPasswordLinks } from "../password_reset.ts";
import { findReservation } from "../../accounts/reserved_address.ts";
import type { SessionCredential } from "../../accounts/sessions/session.ts";
import { endAccess } from "../../accounts/tokens/access_end.ts";
import { openSession, type SessionClient } from "../../accounts/sessions/session_start.ts";
import { type User, USER_COLUMNS, userOfRow } from "../../accounts/user.ts";

const IDP_USER_COLUMNS = [...USER_COLUMNS, "idp_id"] as const;

type IdpUserRow = Pick<UserRow, typeof IDP_USER_COLUMNS[number]>;

/** When and from where someone signs in. */
interface Circumstances {
  now: Date;
  databaseTime: DatabaseTime;
  client: Client;
}

/**
 * Opens a session for the person whom the identity provider has signed in. The account is found by subject or by
 * address, or else created. Concurrent sign-ins of one person create one account.
 *
 * The account of a known subject keeps its data when the provider's data changes: the person may have edited it here.
 *
 * @throws {IdpError} idp_email when the address is invalid, unverified or reserved, or when its account is linked to another
 * subject; idp_failed when the account with this address is deleted during the sign-in.
 */
export async function signInWithIdp(
  services: Services,
  identity: IdpIdentity,
  client: SessionClient,
): Promise<{ user: User; session: SessionCredential }> {
  const account = idpAccountOf(identity, services);
  const signIn = () =>
    services.db.transaction().execute(async (trx) => {
      const { databaseTime } = services;
      const row = await findOrCreateUser(trx, account, { now: services.now(), databaseTime, client });
      const session = await openSession(trx, services, { userId: row.id, method: "idp", client });
      return { user: userOfRow(row), session };
    });
  try {
    return await signIn();
  } catch (error) {
    // A concurrent sign-in has linked the subject to another account. The second attempt finds that account.
    if (isUniqueViolation(error)) return await signIn();
    throw error;
  }
}

/**
 * Inserts before looking up the address: of several concurrent sign-ins, the unique keys let exactly one create the
 * user.
 */
async function findOrCreateUser(
  trx: Transaction<Database>,
  account: IdpAccount,
  circumstances: Circumstances,
): Promise<IdpUserRow> {
  return await lockUser(trx, { by: "idp_id", value: account.subject }) ??
    await insertUser(trx, account, circumstances) ??
    await lockUser(trx, { by: "idp_id", value: account.subject }) ??
    await linkUserByEmail(trx, account, circumstances);
}

/** Locks the row until the transaction ends. Otherwise ending the sessions could deadlock with a password reset. */
async function lockUser(
  trx: Transaction<Database>,
  { by, value }: { by: "idp_id" | "email"; value: string },
): Promise<IdpUserRow | undefined> {
  return await trx.selectFrom("users").select(IDP_USER_COLUMNS).where(by, "=", value).forNoKeyUpdate()
    .executeTakeFirst();
}

async function insertUser(
  db: Db,
  { subject, email, name, avatar }: IdpAccount,
  { now, client }: Circumstances,
): Promise<IdpUserRow | undefined> {
  const row = await db.insertInto("users").values({
    id: v7({ msecs: now.getTime() }),
    email,
    name,
    password_hash: null,
    provider: "idp",
    idp_id: subject,
    avatar,
    email_verified: true,
    created_at: now,
    updated_at: now,
  }).onConflict((conflict) => conflict.doNothing()).returning(IDP_USER_COLUMNS).executeTakeFirst();
  if (row !== undefined) {
    if (await findReservation(db, { email, userId: row.id, now }) !== null) {
      throw new IdpError("idp_email", "The address is reserved for the account that has replaced it");
    }
    await recordEvent(db, { kind: "user.registered", userId: row.id, client, details: { method: "idp" } }, now);
  }
  return row;
}

async function linkUserByEmail(
  trx: Transaction<Database>,
  account: IdpAccount,
  circumstances: Circumstances,
): Promise<IdpUserRow> {
  const { now, client } = circumstances;
  const row = await lockUser(trx, { by: "email", value: account.email });
  if (row === undefined) throw new IdpError("idp_failed", "The account with this address has just been deleted");
  // A concurrent callback of the same person held the lock and linked the account.
  if (row.idp_id === account.subject) return row;
  if (row.idp_id !== null) throw new IdpError("idp_email", "The address belongs to the account of another subject");
  const profile = row.email_verified
    ? { avatar: row.avatar ?? account.avatar }
    : await revokeRegistrantAccess(trx, row, { account, ...circumstances });
  const events: NewEvent[] = [
    { kind: "identity.linked", userId: row.id, client, details: { provider: DEFAULT_IDENTITY } },
  ];
  if (!row.email_verified) {
    events.unshift({ kind: "user.verified", userId: row.id, client, details: { method: "idp" } });
  }
  await recordEvents(trx, events, now);
  return await trx.updateTable("users")
    .set({
      ...profile,
      provider: "idp",
      idp_id: account.subject,
      idp_linked_at: now,
      email_verified: true,
      updated_at: now,
    })
    .where("id", "=", row.id).returning(IDP_USER_COLUMNS).executeTakeFirstOrThrow();
}

/** Revokes all access of a registrant who never confirmed the address. Returns the values that replace theirs. */
async function revokeRegistrantAccess(
  trx: Transaction<Database>,
  { id: userId }: IdpUserRow,
  { account: { name, avatar }, now, databaseTime, client }: Circumstances & { account: IdpAccount },
) {
  await endAccess(trx, { userId }, { reason: "identity_linked", client, now });
  await forgetDevices(trx, { userId });
  await voidVerificationLinks(trx, userId);
  await voidPasswordLinks(trx, userId);
  await disownUploads(trx, { userId, databaseTime, now });
  return { name, avatar, password_hash: null, bio: "", location: "", website: "" };
}
