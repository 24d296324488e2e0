import type { Transaction } from "kysely";
import { v7 } from "uuid";
import type { Database, Db, Provider, UserRow } from "../../db/schema.ts";
import { AppError } from "../errors.ts";

/** A user as the domain knows one; the password hash stays in the row. */
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

/** What a new user starts with. */
export interface NewUser {
  email: string;
  name: string;
  passwordHash: string | null;
}

/** The name of a person who has not chosen one. Not a part of the address, which may not be public. */
export const NAMELESS = "New user";

/** Source: spec, Known messages. */
const EMAIL_TAKEN = "Email already registered";

/**
 * Inserts an unverified user; the unique key of the address decides a race.
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

/** The user's row, which holds the password hash, or null. */
export async function findUserRowByEmail(db: Db, email: string): Promise<UserRow | null> {
  return await db.selectFrom("users").selectAll().where("email", "=", email).executeTakeFirst() ?? null;
}

/**
 * Locks the user's row until the transaction ends. Whatever changes several rows of a user takes this lock first: so
 * no two of them deadlock, and a password does not change under a login.
 *
 * @returns null when the user is gone.
 */
export async function lockUserRow(trx: Transaction<Database>, id: string): Promise<UserRow | null> {
  return await trx.selectFrom("users").selectAll().where("id", "=", id).forUpdate().executeTakeFirst() ?? null;
}

/** Locks as {@linkcode lockUserRow} does, by the address. */
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
