import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../db/schema.ts";
import type { UserStatus } from "../schemas/admin/states.ts";
import { beginsWith, findNewestIds } from "../users/search_terms.ts";
import { isInStatus } from "../users/user_status.ts";

/** Whom to find, and which part of the result. */
export interface AccountSearchQuery {
  query: string;
  status?: UserStatus;
  limit: number;
  /** The id of the last account of the previous page. */
  after?: string;
}

const ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/**
 * Finds the newest accounts that match every word of a query, and returns their ids. A word is the beginning of a word in the
 * name or of the address, or a whole id. Punctuation separates a word of the query into several words of a name.
 */
export async function findAccountIds(db: Db, { query, status, limit, after }: AccountSearchQuery): Promise<string[]> {
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
