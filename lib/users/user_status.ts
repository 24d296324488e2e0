import type { SelectQueryBuilder } from "kysely";
import type { Database, UserRow } from "../../db/schema.ts";

/** The states of an account. The first one that applies is shown. */
export const USER_STATUSES = ["closing", "suspended", "unverified", "active"] as const;
export type UserStatus = typeof USER_STATUSES[number];

/** The columns that make the status. */
export const STATUS_COLUMNS = ["deletion_due_at", "suspended_at", "email_verified"] as const;

/** Returns the state of an account. */
export function statusOf(row: Pick<UserRow, typeof STATUS_COLUMNS[number]>): UserStatus {
  if (row.deletion_due_at !== null) return "closing";
  if (row.suspended_at !== null) return "suspended";
  return row.email_verified ? "active" : "unverified";
}

/** Selects the users of a status. */
export function whereStatus<Selected>(
  query: SelectQueryBuilder<Database, "users", Selected>,
  status: UserStatus,
): SelectQueryBuilder<Database, "users", Selected> {
  if (status === "closing") return query.where("deletion_due_at", "is not", null);
  const open = query.where("deletion_due_at", "is", null);
  if (status === "suspended") return open.where("suspended_at", "is not", null);
  return open.where("suspended_at", "is", null).where("email_verified", "=", status === "active");
}
