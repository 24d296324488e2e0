import type { Transaction } from "kysely";
import { v7 } from "uuid";
import type { Database, Db, UserRow } from "../../db/schema.ts";
import { isUniqueViolation } from "../../db/database_errors.ts";
import { IdpError } from "../errors.ts";
import type { IdpIdentity, Services } from "../services.ts";
import { voidVerificationLinks } from "../accounts/email_verification.ts";
import { type IdpAccount, idpAccountOf } from "./idp_account.ts";
import { voidPasswordLinks } from "./password_reset.ts";
import { endSessions, endSessionsOfUser, type SessionCredential, startSession } from "../accounts/session.ts";
import { type User, USER_COLUMNS, userOfRow } from "../accounts/user.ts";

const IDP_USER_COLUMNS = [...USER_COLUMNS, "idp_id"] as const;

type IdpUserRow = Pick<UserRow, typeof IDP_USER_COLUMNS[number]>;

/**
 * Opens a session for the person whom the identity provider has signed in. The account is found by subject or by
 * address, or else created. Concurrent sign-ins of one person create one account.
 *
 * The account of a known subject keeps its data when the provider's data changes: the person may have edited it here.
 *
 * @param presentedSessionIds the sessions that the request presents. They end. Source: spec, Authentication 6.
 * @throws {IdpError} idp_email when the address is invalid or unverified, or when its account is linked to another
 * subject; idp_failed when the account with this address is deleted during the sign-in.
 */
export async function signInWithIdp(
  services: Services,
  identity: IdpIdentity,
  presentedSessionIds: string[] = [],
): Promise<{ user: User; session: SessionCredential }> {
  const account = idpAccountOf(identity, services);
  const signIn = () =>
    services.db.transaction().execute(async (trx) => {
      const now = services.now();
      const row = await findOrCreateUser(trx, account, now);
      await endSessions(trx, presentedSessionIds);
      const session = await startSession(trx, { userId: row.id, now, config: services.config });
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
async function findOrCreateUser(trx: Transaction<Database>, account: IdpAccount, now: Date): Promise<IdpUserRow> {
  return await lockUser(trx, { by: "idp_id", value: account.subject }) ??
    await insertUser(trx, account, now) ??
    await lockUser(trx, { by: "idp_id", value: account.subject }) ??
    await linkUserByEmail(trx, account, now);
}

/** Locks the row until the transaction ends. Otherwise ending the sessions could deadlock with a password reset. */
async function lockUser(
  trx: Transaction<Database>,
  { by, value }: { by: "idp_id" | "email"; value: string },
): Promise<IdpUserRow | undefined> {
  return await trx.selectFrom("users").select(IDP_USER_COLUMNS).where(by, "=", value).forUpdate()
    .executeTakeFirst();
}

async function insertUser(
  db: Db,
  { subject, email, name, avatar }: IdpAccount,
  now: Date,
): Promise<IdpUserRow | undefined> {
  return await db.insertInto("users").values({
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
}

async function linkUserByEmail(trx: Transaction<Database>, account: IdpAccount, now: Date): Promise<IdpUserRow> {
  const row = await lockUser(trx, { by: "email", value: account.email });
  if (row === undefined) throw new IdpError("idp_failed", "The account with this address has just been deleted");
  // A concurrent callback of the same person held the lock and linked the account.
  if (row.idp_id === account.subject) return row;
  if (row.idp_id !== null) throw new IdpError("idp_email", "The address belongs to the account of another subject");
  const profile = row.email_verified
    ? { avatar: row.avatar ?? account.avatar }
    : await revokeRegistrantAccess(trx, row.id, account);
  return await trx.updateTable("users")
    .set({ ...profile, provider: "idp", idp_id: account.subject, email_verified: true, updated_at: now })
    .where("id", "=", row.id).returning(IDP_USER_COLUMNS).executeTakeFirstOrThrow();
}

/** Revokes all access of a registrant who never confirmed the address. Returns the values that replace theirs. */
async function revokeRegistrantAccess(trx: Transaction<Database>, userId: string, { name, avatar }: IdpAccount) {
  await endSessionsOfUser(trx, userId);
  await voidVerificationLinks(trx, userId);
  await voidPasswordLinks(trx, userId);
  return { name, avatar, password_hash: null, bio: "", location: "", website: "" };
}
