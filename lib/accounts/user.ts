import type { Transaction } from "kysely";
import { v7 } from "uuid";
import type { Database, Db, Provider, UserRow } from "../../db/schema.ts";
import { AppError } from "../errors.ts";

/** A user without the password hash, which only the row holds. */
export interface User {
  id: string;
  email: string;
  name: string;
  provider: Provider;
  avatar: string | null;
  bio: string;
  location: string;
  website: string;
  emailVerified: boolean;
  createdAt: Date;
}

/** The input of {@linkcode createUser}. */
export interface NewUser {
  email: string;
  name: string;
  passwordHash: string | null;
}

/** The default name. It is not derived from the email address, which may be private. */
export const NAMELESS = "New user";

/** Source: spec, Known messages. */
const EMAIL_TAKEN = "Email already registered";

/**
 * Creates an unverified user. Of concurrent calls with one address, the unique key lets exactly one succeed.
 *
 * @throws {AppError} EMAIL_TAKEN when the address already has a user.
 */
export async function createUser(db: Db, { email, name, passwordHash }: NewUser, now: Date): Promise<User> {
  const row = await db.insertInto("users")
    .values({
      id: v7({ msecs: now.getTime() }),
      email,
      name,
      password_hash: passwordHash,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.column("email").doNothing())
    .returningAll().executeTakeFirst();
  if (row === undefined) throw new AppError("EMAIL_TAKEN", EMAIL_TAKEN, { details: { email: [EMAIL_TAKEN] } });
  return userOfRow(row);
}

/** Finds the row of the user with this address, including the password hash. */
export async function findUserRowByEmail(db: Db, email: string): Promise<UserRow | null> {
  return await db.selectFrom("users").selectAll().where("email", "=", email).executeTakeFirst() ?? null;
}

/**
 * Locks the user's row until the transaction ends. Every transaction that changes several rows of a user takes this
 * lock first. Otherwise two of them could deadlock, and a password could change during a login.
 *
 * @returns null when there is no such user.
 */
export async function lockUserRow(trx: Transaction<Database>, id: string): Promise<UserRow | null> {
  return await trx.selectFrom("users").selectAll().where("id", "=", id).forUpdate().executeTakeFirst() ?? null;
}

/** Does the same as {@linkcode lockUserRow}, by email address. */
export async function lockUserRowByEmail(trx: Transaction<Database>, email: string): Promise<UserRow | null> {
  return await trx.selectFrom("users").selectAll().where("email", "=", email).forUpdate().executeTakeFirst() ?? null;
}

/** Turns a row into a user. */
export function userOfRow(row: UserRow): User {
  const { id, email, name, provider, avatar, bio, location, website } = row;
  return {
    id,
    email,
    name,
    provider,
    avatar,
    bio,
    location,
    website,
    emailVerified: row.email_verified,
    createdAt: row.created_at,
  };
}
