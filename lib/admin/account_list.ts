import type { Db } from "../../db/schema.ts";
import type { Services } from "../services/services.ts";
import { type Count, countParts } from "./count.ts";
import { avatarAddress } from "../users/user_row.ts";
import type { Role } from "../users/tables.ts";
import type { UserStatus } from "../schemas/states.ts";
import { isInStatus, STATUS_COLUMNS, statusOf } from "../users/user_status.ts";
import { type RawBuilder, sql, type SqlBool } from "kysely";
import { beginsWith, findNewestIds } from "../users/search_terms.ts";

/** An account as operators see it in a list. */
export interface ListedAccount {
  id: string;
  name: string;
  email: string;
  /** The address of the photo. */
  avatar: string | null;
  emailVerified: boolean;
  role: Role;
  status: UserStatus;
  createdAt: Date;
  /** When the person last used a session; null if they never had one. */
  lastSeenAt: Date | null;
}

/** When the person of a row of `users` was last seen. Instances of older releases write only the sessions. */
export const lastSeen = sql<Date | null>`
  greatest(users.last_seen_at, (select max(last_seen_at) from sessions where user_id = users.id))
`;

/** Which accounts to list. `after` is the id of the last account of the previous page. */
export interface AccountQuery {
  /** Beginnings of words in the name or of the address, or an id. */
  query?: string;
  status?: UserStatus;
  role?: Role;
  /** Only accounts without an authenticator app and without a passkey. */
  factor?: "none";
  limit: number;
  after?: string;
}

/** Lists accounts, newest first. `next` is the `after` of the next page, or null. */
export async function listAccounts(
  { db, ...addresses }: Pick<Services, "db" | "config" | "objects">,
  { query = "", status, role, factor, limit, after }: AccountQuery,
): Promise<{ accounts: ListedAccount[]; next: string | null }> {
  const page = { status, role, factor, limit: limit + 1, after };
  const found = query.trim() === "" ? undefined : await findAccountIds(db, { ...page, query });
  if (found?.length === 0) return { accounts: [], next: null };
  const rows = await db.selectFrom("users").select(["id", "name", "email", "avatar", "role"])
    .select(["created_at", ...STATUS_COLUMNS])
    .select(lastSeen.as("lastSeenAt"))
    .$if(found !== undefined, (users) => users.where("id", "in", found!))
    .$if(status !== undefined, (users) => users.where(isInStatus(status!)))
    .$if(role !== undefined, (users) => users.where(hasRole(role!)))
    .$if(factor !== undefined, (users) => users.where(HAS_NO_FACTOR))
    .$if(after !== undefined, (users) => users.where("id", "<", after!))
    .orderBy("id", "desc").limit(page.limit).execute();
  const accounts = rows.slice(0, limit).map((row) => ({
    id: row.id,
    name: row.name,
    email: row.email,
    avatar: avatarAddress(row.avatar, addresses),
    emailVerified: row.email_verified,
    role: row.role,
    status: statusOf(row),
    createdAt: row.created_at,
    lastSeenAt: row.lastSeenAt,
  }));
  return { accounts, next: rows.length > limit ? accounts.at(-1)!.id : null };
}

/** Its value is part of the statement, so that the index of admins is used. */
function hasRole(role: Role): RawBuilder<SqlBool> {
  return sql`users.role = ${sql.lit(role)}`;
}

const HAS_NO_FACTOR = sql<SqlBool>`
  not exists (select from totp_secrets where user_id = users.id and enabled_at is not null)
  and not exists (select from passkeys where user_id = users.id)
`;

/** Counts accounts, up to 999 of each part. */
export async function countAccounts(
  db: Db,
): Promise<Record<"all" | "unverified" | "suspended" | "closing" | "admins" | "withoutFactor", Count>> {
  return await countParts(db, {
    all: sql`users`,
    unverified: sql`users where ${isInStatus("unverified")}`,
    suspended: sql`users where ${isInStatus("suspended")}`,
    closing: sql`users where ${isInStatus("closing")}`,
    admins: sql`users where ${hasRole("admin")}`,
    withoutFactor: sql`users where ${HAS_NO_FACTOR}`,
  });
}

/** Whom to find, and which part of the result. */
interface AccountSearchQuery {
  query: string;
  status?: UserStatus;
  role?: Role;
  factor?: "none";
  limit: number;
  /** The id of the last account of the previous page. */
  after?: string;
}

const ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/**
 * Finds the newest accounts that match every word of a query, and returns their ids. A word is the beginning of a word
 * in the name or of the address, or a whole id. Punctuation separates a word of the query into several words of a name.
 */
export async function findAccountIds(
  db: Db,
  { query, status, role, factor, limit, after }: AccountSearchQuery,
): Promise<string[]> {
  const words = query.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const [id, ...otherIds] = new Set(words.filter((word) => ID.test(word)));
  if (otherIds.length > 0) return [];
  const texts = words.filter((word) => word !== id);
  return await findNewestIds(db, {
    // Every address begins with nothing, so an id alone finds its account.
    terms: termsOf(texts.length > 0 ? texts : [""]),
    among: sql.join([
      status === undefined ? sql`true` : isInStatus(status),
      ...role === undefined ? [] : [hasRole(role)],
      ...factor === undefined ? [] : [HAS_NO_FACTOR],
      ...id === undefined ? [] : [sql`users.id = ${id}`],
    ], sql` and `),
    limit,
    after,
  });
}

function termsOf(texts: string[]): RawBuilder<unknown> {
  const inName = sql`(select string_agg(${beginsWith(sql`word`)}, ' & ') from unnest(words_of(text)) as word)`;
  const either = sql`concat_ws(' | ', ${inName}, ${beginsWith(sql`'@' || text`)})`;
  return sql`string_agg('(' || ${either} || ')', ' & ')::tsquery from unnest(${texts}::text[]) as text`;
}
