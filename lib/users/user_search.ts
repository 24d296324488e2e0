import { sql } from "kysely";
import { type Placeholders, prepare } from "../../db/prepared_query.ts";
import type { Db } from "../../db/schema.ts";
import { beginsWith, findNewestIds } from "./search_terms.ts";
import { LISTED_USER_COLUMNS, type ListedUserRow } from "./user_row.ts";

/** Whom to find, and which part of the result. */
interface Found {
  query: string;
  limit: number;
  /** Whether accounts are found whose address is not confirmed. */
  unconfirmed: boolean;
  /** The id of the last user of the previous page. */
  cursor: string | undefined;
}

const selectUsers = prepare((db, { ids }: Placeholders<{ ids: string[] }>) =>
  db.selectFrom("users").select(LISTED_USER_COLUMNS).where("id", "=", sql<string>`any(${ids}::text[])`)
    .orderBy("id", "desc")
);

/**
 * Finds the newest users in whose names each word of the query begins a word. A query without
 * letters and digits finds no one. Its words contain no "@", so they find no address.
 */
export async function findUsersByName(db: Db, { query, limit, unconfirmed, cursor }: Found): Promise<ListedUserRow[]> {
  const ids = await findNewestIds(db, {
    terms: sql`string_agg(${beginsWith(sql`word`)}, ' & ')::tsquery from unnest(words_of(${query})) as word`,
    among: sql`deletion_due_at is null and suspended_at is null and (email_verified or ${unconfirmed})`,
    limit,
    after: cursor,
  });
  return ids.length === 0 ? [] : await selectUsers(db, { ids });
}
