import { sql, type Transaction } from "kysely";
import type { Database, Db } from "../../db/schema.ts";
import { hashToken } from "../crypto/token.ts";
import { endOfId } from "./deleted_account.ts";
import { findReservedAddresses } from "./reserved_address.ts";

/** A user of another system. */
export interface ImportedUser {
  /** Its end is the same at each import of the same user. */
  id: string;
  email: string;
  name: string;
  passwordHash: string | null;
  emailVisible: boolean;
  isVerified: boolean;
  createdAt: Date;
}

/**
 * Inserts users, except those who are known: whose address has an account or is reserved for one, and who were imported
 * before, even if they have changed their address or deleted their account since.
 *
 * @returns those who were inserted.
 */
export async function insertImportedUsers(
  trx: Transaction<Database>,
  users: ImportedUser[],
  now: Date,
): Promise<ImportedUser[]> {
  if (users.length === 0) return [];
  const ends = await findKnownEnds(trx, users);
  const rows = users.filter(({ id }) => !ends.has(endOfId(id))).map((user) => ({
    id: user.id,
    email: user.email,
    name: user.name,
    password_hash: user.passwordHash,
    email_visible: user.emailVisible,
    email_verified: user.isVerified,
    created_at: user.createdAt,
    updated_at: now,
  }));
  if (rows.length === 0) return [];
  const inserted = await trx.insertInto("users").values(rows).onConflict((conflict) => conflict.doNothing())
    .returning(["id", "email"]).execute();
  const reserved = await findReservedAddresses(trx, inserted.map(({ email }) => email), now);
  const [kept, undone] = [false, true].map((isReserved) =>
    inserted.filter(({ email }) => reserved.has(email) === isReserved).map(({ id }) => id)
  );
  if (undone.length > 0) await trx.deleteFrom("users").where("id", "in", undone).execute();
  const ids = new Set(kept);
  return users.filter(({ id }) => ids.delete(id));
}

/** Returns the users whom {@linkcode insertImportedUsers} would insert. Changes nothing. */
export async function findUnknownUsers(db: Db, users: ImportedUser[], now: Date): Promise<ImportedUser[]> {
  if (users.length === 0) return [];
  const emails = users.map(({ email }) => email);
  const known = await db.selectFrom("users").select("email").where("email", "in", emails).execute();
  const ends = await findKnownEnds(db, users);
  const taken = new Set([...known.map(({ email }) => email), ...await findReservedAddresses(db, emails, now)]);
  return users.filter(({ id, email }) => {
    if (ends.has(endOfId(id)) || taken.has(email)) return false;
    taken.add(email);
    return true;
  });
}

/** Returns the ends of the ids of those who were imported before, also of those who deleted their account since. */
async function findKnownEnds(db: Db, users: ImportedUser[]): Promise<Set<string>> {
  const ends = users.map(({ id }) => endOfId(id));
  const end = sql<string>`right(id, 22)`;
  const known = await db.selectFrom("users").select(end.as("end")).where(end, "in", ends).execute();
  const byHash = new Map(ends.map((end) => [hashToken(end), end]));
  const deleted = await db.selectFrom("deleted_accounts").select("id_end_hash")
    .where("id_end_hash", "in", [...byHash.keys()]).execute();
  return new Set([...known.map(({ end }) => end), ...deleted.map(({ id_end_hash: hash }) => byHash.get(hash!)!)]);
}
