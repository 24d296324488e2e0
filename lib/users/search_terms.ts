import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Db } from "../../db/schema.ts";

/** Whom to find, and which part of the result. */
export interface Search {
  /** What the terms of a user must match, as a `tsquery`; null finds no one. */
  terms: RawBuilder<unknown>;
  /** A condition on the row of a user. */
  among: RawBuilder<SqlBool>;
  limit: number;
  /** The id of the last user of the previous page. */
  after: string | undefined;
}

/**
 * How many users a query looks at. Few, because the embedded engine runs one query at a time, and others wait for it.
 */
const STEP = 500;
/** How many of the newest users are looked at before the index may replace them. */
const AT_LEAST = 2_000;
/** To look at more of them takes longer than the index. */
const MOST = 10_000;
/** Comes after all ids, which are hexadecimal. */
const AFTER_ALL_IDS = "z";

/**
 * Finds the newest users whose terms match, and returns their ids. Terms that many have are found among the newest
 * users. Others are found by an index, which reads all users who have them. So the time hardly grows with the table.
 *
 * `search_terms` has the words of the name, and the address after an "@". A trigger of `users` writes them.
 */
export async function findNewestIds(db: Db, { limit, after, ...search }: Search): Promise<string[]> {
  const found: string[] = [];
  let last = after ?? AFTER_ALL_IDS;
  for (let looked = STEP; looked <= MOST; looked += STEP) {
    const { ids, oldest } = await findAmongNext(db, { ...search, limit: limit - found.length, after: last });
    found.push(...ids);
    if (found.length === limit || oldest === null) return found;
    last = oldest;
    // As many as should fill the page.
    if (looked >= AT_LEAST && looked * limit > MOST * found.length) break;
  }
  return [...found, ...await findByIndex(db, { ...search, limit: limit - found.length, after: last })];
}

/** Looks at the next users. `oldest` is the id of the last one; null if there are no more. */
async function findAmongNext(db: Db, { terms, among, limit, after }: Search & { after: string }) {
  // "offset 0" makes PostgreSQL read the terms of these users, rather than all users with the terms.
  const { rows: [found] } = await sql<{ oldest: string | null; ids: string[] }>`
    with next as materialized (select id from users where id < ${after} and ${among} order by id desc limit ${STEP})
    select (select id from next order by id desc offset ${STEP - 1}) as oldest, array(
      select id from next cross join lateral (select terms from search_terms where user_id = id offset 0) as own
      where terms @@ (select ${terms}) order by id desc limit ${limit}
    ) as ids
  `.execute(db);
  return found;
}

async function findByIndex(db: Db, { terms, among, limit, after }: Search & { after: string }): Promise<string[]> {
  // Of a query that it does not know yet, PostgreSQL expects that few users match, and so uses the index.
  const { rows } = await sql<{ id: string }>`
    select id from (
      select user_id from search_terms where terms @@ (select ${terms}) and user_id < ${after}
      order by user_id desc offset 0
    ) as found join users on id = user_id where ${among} order by user_id desc limit ${limit}
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** Makes a text one of the terms of a query: what begins with it. */
export function beginsWith(text: RawBuilder<unknown>): RawBuilder<string> {
  return sql`('''' || replace(replace(${text}, '\\', '\\\\'), '''', '''''') || ''':*')`;
}
