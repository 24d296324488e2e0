import type { Db, Role } from "../../db/schema.ts";
import type { UserStatus } from "../schemas/admin/states.ts";
import { isInStatus, STATUS_COLUMNS, statusOf } from "../users/user_status.ts";
import { findAccountIds } from "./account_search.ts";

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
  /** Beginnings of words in the name or of the address, or an id. */
  query?: string;
  status?: UserStatus;
  limit: number;
  after?: string;
}

/** Lists accounts, newest first. `next` is the `after` of the next page, or null. */
export async function listAccounts(
  db: Db,
  { query = "", status, limit, after }: AccountQuery,
): Promise<{ accounts: ListedAccount[]; next: string | null }> {
  const page = { status, limit: limit + 1, after };
  const found = query.trim() === "" ? undefined : await findAccountIds(db, { ...page, query });
  if (found?.length === 0) return { accounts: [], next: null };
  const rows = await db.selectFrom("users").select(["id", "name", "email", "role", "created_at", ...STATUS_COLUMNS])
    .select((eb) =>
      eb.selectFrom("sessions").select((session) => session.fn.max("last_seen_at").as("seen"))
        .whereRef("user_id", "=", "users.id").as("lastSeenAt")
    )
    .$if(found !== undefined, (users) => users.where("id", "in", found!))
    .$if(status !== undefined, (users) => users.where(isInStatus(status!)))
    .$if(after !== undefined, (users) => users.where("id", "<", after!))
    .orderBy("id", "desc").limit(page.limit).execute();
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
