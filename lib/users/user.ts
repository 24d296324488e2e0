import type { Transaction } from "kysely";
import { v7 } from "uuid";
import { isUniqueViolation } from "../../db/database_errors.ts";
import { type Placeholders, prepare } from "../../db/prepared_query.ts";
import type { Database, Db, Provider, Role, UserRow } from "../../db/schema.ts";
import { anonymizeEvents, recordEvent } from "../activity/events.ts";
import { hashToken } from "../crypto/token.ts";
import { AppError } from "../errors.ts";
import { forgetRequests } from "../limits/request_window.ts";
import { cancelMails } from "../mail/outbox.ts";
import { OPTIONAL_FIELDS, type OptionalTexts, optionalTextsOf } from "../schemas/profile_rules.ts";
import { findReservation } from "./reserved_address.ts";

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
export interface User extends ListedUser, OptionalTexts {
  emailVerified: boolean;
  role: Role;
  /** When the account will be deleted; null unless its owner has closed it. */
  deletionDueAt: Date | null;
}

/** The columns of a {@linkcode ListedUser}. */
export const LISTED_USER_COLUMNS = ["id", "email", "name", "provider", "avatar", "created_at"] as const;
/** The columns of a {@linkcode User}. */
export const USER_COLUMNS = [
  ...LISTED_USER_COLUMNS,
  ...OPTIONAL_FIELDS,
  "email_verified",
  "role",
  "deletion_due_at",
] as const;
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

const selectCredentials = prepare((db, { email }: Placeholders<{ email: string }>) =>
  db.selectFrom("users").select(CREDENTIALS_COLUMNS).where("email", "=", email)
);
const selectLockedCredentials = prepare((db, { id }: Placeholders<{ id: string }>) =>
  db.selectFrom("users").select(CREDENTIALS_COLUMNS).where("id", "=", id).forNoKeyUpdate()
);

/** The default name. It is not derived from the email address, which may be private. */
export const DEFAULT_NAME = "New user";

/**
 * Creates an unverified user. Of concurrent calls with one address, the unique key lets at most one succeed. Call it in
 * a transaction that ends with the error: a reservation is found only after the insert.
 *
 * @throws {AppError} EMAIL_TAKEN when the address already has a user or is reserved for one.
 */
export async function createUser(db: Db, user: NewUser, now: Date): Promise<User> {
  const row = await insertUser(db, user, now);
  if (row === null || await findReservation(db, { email: row.email, userId: row.id, now }) !== null) throw emailTaken();
  return userOfRow(row);
}

/**
 * Inserts a user. The caller checks that the address is not reserved.
 *
 * @returns null when the address or the subject at the default provider already has a user.
 */
export async function insertUser(
  db: Db,
  { passwordHash, isVerified = false, ...columns }: NewUser & {
    isVerified?: boolean;
    provider?: Provider;
    avatar?: string | null;
  },
  now: Date,
): Promise<FullUserRow | null> {
  return await db.insertInto("users")
    .values({
      id: v7({ msecs: now.getTime() }),
      ...columns,
      password_hash: passwordHash,
      email_verified: isVerified,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning(USER_COLUMNS).executeTakeFirst() ?? null;
}

/**
 * Gives a user another address, which an email has confirmed. Of concurrent calls with one address, the unique key lets
 * at most one succeed. The caller holds the user's lock.
 *
 * @throws {AppError} EMAIL_TAKEN when the address belongs to another user or is reserved for one.
 */
export async function changeAddress(
  trx: Transaction<Database>,
  { userId, email, now }: { userId: string; email: string; now: Date },
): Promise<void> {
  try {
    await trx.updateTable("users").set({ email, email_verified: true, updated_at: now }).where("id", "=", userId)
      .execute();
  } catch (error) {
    throw isUniqueViolation(error) ? emailTaken() : error;
  }
  if (await findReservation(trx, { email, userId, now }) !== null) throw emailTaken();
}

function emailTaken(): AppError {
  return new AppError("EMAIL_TAKEN", { field: "email" });
}

/** Finds the user with this address, including the password hash. */
export async function findCredentials(db: Db, email: string): Promise<CredentialsRow | null> {
  return (await selectCredentials(db, { email })).at(0) ?? null;
}

/** Finds the password hash of a user, or null. */
export async function findPasswordHash(db: Db, id: string): Promise<string | null> {
  const row = await db.selectFrom("users").select("password_hash").where("id", "=", id).executeTakeFirst();
  return row?.password_hash ?? null;
}

/**
 * Locks the user's row until the transaction ends, and returns it with the password hash. A transaction that changes
 * several rows of a user takes this lock first. Otherwise two of them could deadlock, and a password could change during
 * a login. Only the end of the sessions that a browser presents needs no lock: they may belong to other users. The lock
 * does not block inserts that refer to the user, such as the events of these sessions.
 *
 * @returns null when there is no such user.
 */
export async function lockCredentials(trx: Transaction<Database>, id: string): Promise<CredentialsRow | null> {
  return (await selectLockedCredentials(trx, { id })).at(0) ?? null;
}

/** Locks the user's row like {@linkcode lockCredentials}, without the password hash. */
export async function lockUser(trx: Transaction<Database>, id: string): Promise<FullUserRow | null> {
  return await trx.selectFrom("users").select(USER_COLUMNS).where("id", "=", id).forNoKeyUpdate()
    .executeTakeFirst() ?? null;
}

/** Locks the user's row like {@linkcode lockCredentials}, by email address and without the password hash. */
export async function lockUserByEmail(trx: Transaction<Database>, email: string): Promise<AddressRow | null> {
  return await trx.selectFrom("users").select(ADDRESS_COLUMNS).where("email", "=", email).forNoKeyUpdate()
    .executeTakeFirst() ?? null;
}

/**
 * Deletes a user and the rows that identify them. Their events remain, anonymous. Their uploads lose their owner, and
 * the sweep deletes them. Cancels their queued emails, because these rows outlive their user. The lock keeps other
 * transactions from adding events.
 */
export async function deleteUser(
  trx: Transaction<Database>,
  { id, email }: Pick<AddressRow, "id" | "email">,
  now: Date,
): Promise<void> {
  await trx.selectFrom("users").select("id").where("id", "=", id).forUpdate().execute();
  await cancelMails(trx, { userId: id });
  await recordEvent(trx, { kind: "user.deleted", userId: id, actorId: null, client: null }, now);
  await anonymizeEvents(trx, id);
  await forgetRequests(trx, [`user:${id}`, `email:${hashToken(email)}`]);
  await trx.deleteFrom("users").where("id", "=", id).execute();
}

/** Turns a row into a user. */
export function userOfRow(row: FullUserRow): User {
  const { email_verified: emailVerified, role, deletion_due_at: deletionDueAt } = row;
  return { ...listedUserOfRow(row), ...optionalTextsOf(row), emailVerified, role, deletionDueAt };
}

/** Turns a row into an entry of the list. */
export function listedUserOfRow({ id, email, name, provider, avatar, created_at }: ListedUserRow): ListedUser {
  return { id, email, name, provider, avatar, createdAt: created_at };
}
