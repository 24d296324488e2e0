import type { Transaction } from "kysely";
import type { Database, Db, UserRow } from "../../db/schema.ts";
import type { EventDetails } from "../activity/tables.ts";
import type { Actor } from "../activity/events.ts";
import { lockForAct } from "../users/user_lock.ts";
import { AppError } from "../errors/errors.ts";
import { Id } from "../schemas/list.ts";
import { Email } from "../schemas/user.ts";

/** An account to act on, and who acts. */
export interface AdminAct {
  /** Its address or its id. */
  who: string;
  by: Actor;
  /** Why, for other operators. It becomes part of the event. */
  reason?: string;
}

const LOCKED_COLUMNS = [
  "id",
  "name",
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
 * Begins an act on the account with this address or id: locks its row, as `lockForAct` does.
 *
 * @throws {AppError} NOT_FOUND, also when a user acts who is not an admin now.
 */
export async function lockAccount(trx: Transaction<Database>, { who, by }: AdminAct): Promise<LockedAccount> {
  const id = await getAccountId(trx, who);
  await lockForAct(trx, { userId: id, by });
  const row = await trx.selectFrom("users").select(LOCKED_COLUMNS).where("id", "=", id).executeTakeFirst();
  if (row === undefined) throw accountNotFound();
  return row;
}

/** The reason of an act, as events have it. */
export function reasonIn({ reason }: Pick<AdminAct, "reason">): EventDetails {
  return reason === undefined ? {} : { reason };
}

function accountNotFound(): AppError {
  return new AppError("NOT_FOUND", { reason: "user" });
}
