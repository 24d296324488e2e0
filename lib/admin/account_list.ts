import type { Db, Role } from "../../db/schema.ts";
import { STATUS_COLUMNS, statusOf, type UserStatus, whereStatus } from "../users/user_status.ts";

/** An account as operators see it in a list. */
export interface ListedAccount {
  id: string;
  name: string;
  email: string;
  emailVerified: boolean;
  role: Role;
  status: UserStatus;
  createdAt: Date;
  /** When a session was last in use; null without one. */
  lastSeenAt: Date | null;
}

/** Which accounts to list. `after` is the id of the last account of the previous page. */
export interface AccountQuery {
  status?: UserStatus;
  limit: number;
  after?: string;
}

/** Lists accounts, newest first. `next` is the `after` of the next page, or null. */
export async function listAccounts(
  db: Db,
  { status, limit, after }: AccountQuery,
): Promise<{ accounts: ListedAccount[]; next: string | null }> {
  const rows = await db.selectFrom("users").select(["id", "name", "email", "role", "created_at", ...STATUS_COLUMNS])
    .select((eb) =>
      eb.selectFrom("sessions").select((session) => session.fn.max("last_seen_at").as("seen"))
        .whereRef("user_id", "=", "users.id").as("lastSeenAt")
    )
    .$if(status !== undefined, (query) => whereStatus(query, status!))
    .$if(after !== undefined, (query) => query.where("id", "<", after!))
    .orderBy("id", "desc").limit(limit + 1).execute();
  const accounts = rows.slice(0, limit).map((row) => ({
    id: row.id,
    name: row.name,
    email: row.email,
    emailVerified: row.email_verified,
    role: row.role,
    status: statusOf(row),
    createdAt: row.created_at,
    lastSeenAt: row.lastSeenAt,
  }));
  return { accounts, next: rows.length > limit ? accounts.at(-1)!.id : null };
}
