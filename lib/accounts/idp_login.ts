import type { Transaction } from "kysely";
import { v7 } from "uuid";
import type { Database, Db, UserRow } from "../../db/schema.ts";
import { isUniqueViolation } from "../database_errors.ts";
import { IdpError } from "../errors.ts";
import type { IdpIdentity, Services } from "../services.ts";
import { isAvatarAllowed } from "./avatar.ts";
import { endVerification } from "./email_verification.ts";
import { type IdpAccount, idpAccountOf } from "./idp_account.ts";
import { endPasswordReset } from "./password_reset.ts";
import { endSessions, endSessionsOfUser, type SessionCredential, startSession } from "./session.ts";
import { lockUserRowByEmail, type User, userOfRow } from "./user.ts";

/**
 * Opens a session for whoever the identity provider says has signed in, and ends the one of the request. The account
 * is found by subject, else by address, else made; two sign-ins of one person at once make one account.
 *
 * A known subject's account stays as it is, whatever the provider tells today: the person may have changed it here.
 *
 * @param presentedSessionIds the sessions that the request presents: they end. Source: spec, Authentication 6 (rotation).
 * @throws {IdpError} idp_email when the provider does not vouch for the address, or when the address belongs to the
 * account of another subject, which is not taken over.
 */
export async function signInWithIdp(
  services: Services,
  identity: IdpIdentity,
  presentedSessionIds: string[] = [],
): Promise<{ user: User; session: SessionCredential }> {
  const account = idpAccountOf(identity);
  if (account.avatar !== null && !isAvatarAllowed(account.avatar, services)) account.avatar = null;
  const signIn = () =>
    services.db.transaction().execute(async (trx) => {
      const now = services.now();
      const row = await findOrMakeUser(trx, account, now);
      await endSessions(trx, presentedSessionIds);
      const session = await startSession(trx, { userId: row.id, now, config: services.config });
      return { user: userOfRow(row), session };
    });
  try {
    return await signIn();
  } catch (error) {
    // The same subject was linked to another account meanwhile: now it is known.
    if (isUniqueViolation(error)) return await signIn();
    throw error;
  }
}

/** Inserting is tried before the address is looked up: the unique keys decide who of two is first. */
async function findOrMakeUser(trx: Transaction<Database>, account: IdpAccount, now: Date): Promise<UserRow> {
  return await lockUserRowBySubject(trx, account.subject) ??
    await insertUser(trx, account, now) ??
    await lockUserRowBySubject(trx, account.subject) ??
    await linkUserByEmail(trx, account, now);
}

/** Locks the row, as {@linkcode lockUserRowByEmail} does: ending the session before it could deadlock with a reset. */
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
  if (row === null) throw new IdpError("idp_failed", "The account with this address was deleted meanwhile");
  // Another callback of the same person was faster, and had the lock.
  if (row.idp_id === account.subject) return row;
  if (row.idp_id !== null) throw new IdpError("idp_email", "The address belongs to the account of another subject");
  const profile = row.email_verified ? { avatar: row.avatar ?? account.avatar } : await disown(trx, row.id, account);
  return await trx.updateTable("users")
    .set({ ...profile, provider: "idp", idp_id: account.subject, email_verified: true, updated_at: now })
    .where("id", "=", row.id).returningAll().executeTakeFirstOrThrow();
}

/** Takes everything from whoever registered an address without proving it, and returns what stands in its place. */
async function disown(trx: Transaction<Database>, userId: string, { name, avatar }: IdpAccount) {
  await endSessionsOfUser(trx, userId);
  await endVerification(trx, userId);
  await endPasswordReset(trx, userId);
  return { name, avatar, password_hash: null, bio: "", location: "", website: "" };
}
