import type { Transaction } from "kysely";
import type { Database, Db, UserRow } from "../../db/schema.ts";
import type { Actor } from "../activity/events.ts";
import { AppError } from "../errors.ts";
import { Id } from "../schemas/list.ts";
import { Email } from "../schemas/user.ts";

/** An account to act on, and who acts. */
export interface AdminAct {
  /** Its address or its id. */
  who: string;
  by: Actor;
}

const LOCKED_COLUMNS = [
  "id",
  "email",
  "email_verified",
  "role",
  "suspended_at",
  "deletion_due_at",
  "password_hash",
] as const;

/** An account whose row is locked. */
export type LockedAccount = Pick<UserRow, typeof LOCKED_COLUMNS[number]>;

/**
 * Returns the id of the account with this address or id.
 *
 * @throws {AppError} NOT_FOUND.
 */
export async function getAccountId(db: Db, who: string): Promise<string> {
  const email = Email.safeParse(who.trim());
  const row = await db.selectFrom("users").select("id")
    .$call((query) => {
      if (email.success) return query.where("email", "=", email.data);
      return query.where("id", "=", Id.safeParse(who).success ? who : "");
    })
    .executeTakeFirst();
  if (row === undefined) throw accountNotFound();
  return row.id;
}

/**
 * Locks the row of the account with this address or id, as `lockUser` does.
 *
 * @throws {AppError} NOT_FOUND.
 */
export async function lockAccount(trx: Transaction<Database>, who: string): Promise<LockedAccount> {
  const id = await getAccountId(trx, who);
  const row = await trx.selectFrom("users").select(LOCKED_COLUMNS).where("id", "=", id).forNoKeyUpdate()
    .executeTakeFirst();
  if (row === undefined) throw accountNotFound();
  return row;
}

function accountNotFound(): AppError {
  return new AppError("NOT_FOUND", { reason: "user" });
}
