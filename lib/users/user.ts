import { sql, type Transaction } from "kysely";
import { v7 } from "uuid";
import { isUniqueViolation } from "../../db/database_errors.ts";
import { type Placeholders, prepare } from "../../db/prepared_query.ts";
import type { Database, Db } from "../../db/schema.ts";
import type { Provider } from "./tables.ts";
import type { Language } from "../texts/texts.ts";
import { AppError } from "../errors/errors.ts";
import { FIRST_METHOD } from "./hash_methods.ts";
import { findReservation } from "./reserved_address.ts";
import { CREDENTIALS_COLUMNS, type CredentialsRow, type FullUserRow, USER_COLUMNS } from "./user_row.ts";

/** The input of {@linkcode createUser}. */
export interface NewUser {
  email: string;
  name: string;
  passwordHash: string | null;
  /** Whether others may see the address. For people who are not asked, PUBLIC_USER_EMAILS decides. */
  emailVisible: boolean;
  /** The language of the request that creates the account, if it asks for one. */
  language: Language | null;
}

const CREDENTIALS = sql.join(CREDENTIALS_COLUMNS.map((column) => sql.ref(`users.${column}`)));

/** Returns one row, whether or not there is a user. */
const selectCredentials = prepare((db, { email }: Placeholders<{ email: string }>) => {
  const statement = sql<Nullable<CredentialsRow> & { first_method: string | null }>`
    select first_method, ${CREDENTIALS} from (select ${FIRST_METHOD} as first_method) as methods
    left join users on users.email = ${email}
  `;
  return { compile: () => statement.compile(db) };
});

type Nullable<Row> = { [Column in keyof Row]: Row[Column] | null };

/** The default name. It is not derived from the email address, which may be private. */
export const DEFAULT_NAME = "New user";

/**
 * Creates an unverified user. Of concurrent calls with one address, the unique key lets at most one succeed. Call it in
 * a transaction that ends with the error: a reservation is found only after the insert.
 *
 * @throws {AppError} EMAIL_TAKEN when the address already has a user or is reserved for one.
 */
export async function createUser(db: Db, user: NewUser, now: Date): Promise<FullUserRow> {
  const row = await insertUser(db, user, now);
  if (row === null || await findReservation(db, { email: row.email, userId: row.id, now }) !== null) throw emailTaken();
  return row;
}

/**
 * Inserts a user. The caller checks that the address is not reserved.
 *
 * @returns null when the address or the subject at the default provider already has a user.
 */
export async function insertUser(
  db: Db,
  { passwordHash, emailVisible, language, isVerified = false, ...columns }: NewUser & {
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
      email_visible: emailVisible,
      registration_language: language?.tag,
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

/**
 * Finds the user with this address, including the password hash, or null. Also returns whether any user has a hash of
 * another system.
 */
export async function findCredentials(
  db: Db,
  email: string,
): Promise<{ user: CredentialsRow | null; hasForeignHashes: boolean }> {
  const [{ first_method: method, ...row }] = await selectCredentials(db, { email });
  return { user: row.id === null ? null : row as CredentialsRow, hasForeignHashes: method !== null };
}

/** Whether a user has a password. */
export async function hasPassword(db: Db, id: string): Promise<boolean> {
  const row = await db.selectFrom("users").select("id").where("id", "=", id).where("password_hash", "is not", null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Finds the password hash of a user, or null. */
export async function findPasswordHash(db: Db, id: string): Promise<string | null> {
  const row = await db.selectFrom("users").select("password_hash").where("id", "=", id).executeTakeFirst();
  return row?.password_hash ?? null;
}
