import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Db, UserRow } from "../../db/schema.ts";
import type { UserStatus } from "../schemas/states.ts";

/** The columns that make the status. */
export const STATUS_COLUMNS = ["deletion_due_at", "suspended_at", "email_verified"] as const;

/** Returns the state of an account. */
export function statusOf(row: Pick<UserRow, typeof STATUS_COLUMNS[number]>): UserStatus {
  if (row.deletion_due_at !== null) return "closing";
  if (row.suspended_at !== null) return "suspended";
  return row.email_verified ? "active" : "unverified";
}

/**
 * Selects the users of a status. Its values are part of the statement, so that the indexes of the rare ones are used.
 */
export function isInStatus(status: UserStatus): RawBuilder<SqlBool> {
  if (status === "closing") return sql`users.deletion_due_at is not null`;
  if (status === "suspended") return sql`users.deletion_due_at is null and users.suspended_at is not null`;
  const open = sql`users.deletion_due_at is null and users.suspended_at is null`;
  return status === "active" ? sql`${open} and users.email_verified` : sql`${open} and not users.email_verified`;
}

/** Selects the ids of those who have not accepted their invitation: they are unverified and have no password. */
export function invitedUsers(db: Db) {
  return db.selectFrom("users").select("id").where("email_verified", "=", false).where("password_hash", "is", null);
}
