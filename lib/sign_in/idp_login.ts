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
import { lockUserRowByEmail, type User, userOfRow } from "../accounts/user.ts";

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
async function findOrCreateUser(trx: Transaction<Database>, account: IdpAccount, now: Date): Promise<UserRow> {
  return await lockUserRowBySubject(trx, account.subject) ??
    await insertUser(trx, account, now) ??
    await lockUserRowBySubject(trx, account.subject) ??
    await linkUserByEmail(trx, account, now);
}

/** Locks the row like {@linkcode lockUserRowByEmail}: without the lock, ending sessions could deadlock with a reset. */
async function lockUserRowBySubject(trx: Transaction<Database>, subject: string): Promise<UserRow | undefined> {
  return await trx.selectFrom("users").selectAll().where("idp_id", "=", subject).forUpdate().executeTakeFirst();
}

async function insertUser(
  db: Db,
  { subject, email, name, avatar }: IdpAccount,
  now: Date,
): Promise<UserRow | undefined> {
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
  }).onConflict((conflict) => conflict.doNothing()).returningAll().executeTakeFirst();
}

async function linkUserByEmail(trx: Transaction<Database>, account: IdpAccount, now: Date): Promise<UserRow> {
  const row = await lockUserRowByEmail(trx, account.email);
  if (row === null) throw new IdpError("idp_failed", "The account with this address has just been deleted");
  // A concurrent callback of the same person held the lock and linked the account.
  if (row.idp_id === account.subject) return row;
  if (row.idp_id !== null) throw new IdpError("idp_email", "The address belongs to the account of another subject");
  const profile = row.email_verified
    ? { avatar: row.avatar ?? account.avatar }
    : await revokeRegistrantAccess(trx, row.id, account);
  return await trx.updateTable("users")
    .set({ ...profile, provider: "idp", idp_id: account.subject, email_verified: true, updated_at: now })
    .where("id", "=", row.id).returningAll().executeTakeFirstOrThrow();
}

/** Revokes all access of a registrant who never confirmed the address. Returns the values that replace theirs. */
async function revokeRegistrantAccess(trx: Transaction<Database>, userId: string, { name, avatar }: IdpAccount) {
  await endSessionsOfUser(trx, userId);
  await voidVerificationLinks(trx, userId);
  await voidPasswordLinks(trx, userId);
  return { name, avatar, password_hash: null, bio: "", location: "", website: "" };
}
