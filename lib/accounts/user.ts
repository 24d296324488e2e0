import type { Transaction } from "kysely";
import { v7 } from "uuid";
import type { Database, Db, Provider, UserRow } from "../../db/schema.ts";
import { AppError } from "../errors.ts";

/** A user as the list shows them. */
export interface ListedUser {
  id: string;
  email: string;
  name: string;
  provider: Provider;
  avatar: string | null;
  createdAt: Date;
}

/** A user without the password hash, which only {@linkcode CredentialsRow} holds. */
export interface User extends ListedUser {
  bio: string;
  location: string;
  website: string;
  emailVerified: boolean;
}

/** The columns of a {@linkcode ListedUser}. */
export const LISTED_USER_COLUMNS = ["id", "email", "name", "provider", "avatar", "created_at"] as const;
/** The columns of a {@linkcode User}. */
export const USER_COLUMNS = [...LISTED_USER_COLUMNS, "bio", "location", "website", "email_verified"] as const;
/** The columns of a user whose password is checked or replaced. No other read includes the password hash. */
const CREDENTIALS_COLUMNS = [...USER_COLUMNS, "password_hash"] as const;
const ADDRESS_COLUMNS = ["id", "email", "email_verified"] as const;

/** The row of a {@linkcode ListedUser}. */
export type ListedUserRow = Pick<UserRow, typeof LISTED_USER_COLUMNS[number]>;
/** The row of a {@linkcode User}. */
export type FullUserRow = Pick<UserRow, typeof USER_COLUMNS[number]>;
/** The row of a user with the password hash. */
export type CredentialsRow = Pick<UserRow, typeof CREDENTIALS_COLUMNS[number]>;
/** The row of a user whose address is to be verified or emailed. */
export type AddressRow = Pick<UserRow, typeof ADDRESS_COLUMNS[number]>;

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
    .returning(USER_COLUMNS).executeTakeFirst();
  if (row === undefined) throw new AppError("EMAIL_TAKEN", EMAIL_TAKEN, { details: { email: [EMAIL_TAKEN] } });
  return userOfRow(row);
}

/** Finds the user with this address, including the password hash. */
export async function findCredentials(db: Db, email: string): Promise<CredentialsRow | null> {
  return await db.selectFrom("users").select(CREDENTIALS_COLUMNS).where("email", "=", email).executeTakeFirst() ?? null;
}

/**
 * Locks the user's row until the transaction ends, and returns it with the password hash. Every transaction that changes
 * several rows of a user takes this lock first. Otherwise two of them could deadlock, and a password could change during
 * a login.
 *
 * @returns null when there is no such user.
 */
export async function lockCredentials(trx: Transaction<Database>, id: string): Promise<CredentialsRow | null> {
  return await trx.selectFrom("users").select(CREDENTIALS_COLUMNS).where("id", "=", id).forUpdate()
    .executeTakeFirst() ?? null;
}

/** Locks the user's row like {@linkcode lockCredentials}, by email address and without the password hash. */
export async function lockUserByEmail(trx: Transaction<Database>, email: string): Promise<AddressRow | null> {
  return await trx.selectFrom("users").select(ADDRESS_COLUMNS).where("email", "=", email).forUpdate()
    .executeTakeFirst() ?? null;
}

/** Turns a row into a user. */
export function userOfRow(row: FullUserRow): User {
  const { bio, location, website, email_verified: emailVerified } = row;
  return { ...listedUserOfRow(row), bio, location, website, emailVerified };
}

/** Turns a row into an entry of the list. */
export function listedUserOfRow({ id, email, name, provider, avatar, created_at }: ListedUserRow): ListedUser {
  return { id, email, name, provider, avatar, createdAt: created_at };
}
