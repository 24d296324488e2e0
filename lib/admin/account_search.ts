import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Db } from "../../db/schema.ts";
import type { UserStatus } from "../schemas/admin/states.ts";
import { isInStatus } from "../users/user_status.ts";

/** Whom to find, and which part of the result. */
export interface AccountSearchQuery {
  query: string;
  status?: UserStatus;
  limit: number;
  /** The id of the last account of the previous page. */
  after?: string;
}

/** A word of the query, and what it may be the beginning of. */
interface Term {
  /** In lower case and without accents, as addresses and ids are. */
  text: string;
  /** Punctuation separates a word of the query into several words of a name. */
  words: string[];
  /** How many accounts it finds, up to {@linkcode COMMON}. */
  found: number;
}

/** A term that finds fewer accounts is rare: all of them are looked at. */
const COMMON = 1_000;
/** How many of the newest accounts are looked at for common terms, in total and for each account on the page. */
const NEWEST = { atLeast: 2_000, each: 20 };
/** Comes after all ids, which are hexadecimal. */
const AFTER_ALL_IDS = "z";

/**
 * Finds the newest accounts that match every word of a query, and returns their ids. Common words are found among the newest
 * accounts, rare ones by an index. What is neither is found by the index too, and is not frequent enough to take long. So
 * the time hardly grows with the table.
 */
export async function findAccountIds(db: Db, search: AccountSearchQuery): Promise<string[]> {
  const terms = await readTerms(db, search.query);
  const [rarest] = terms;
  if (rarest === undefined || rarest.found === 0) return [];
  const newest = rarest.found < COMMON ? null : await findAmongNewest(db, terms, search);
  return newest ?? await findByTerm(db, terms, search);
}

/** Reads the words of a query, the rarest first. The function `words_of` has also written the words of the names. */
async function readTerms(db: Db, query: string): Promise<Term[]> {
  const texts = query.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().split(/\s+/).filter(Boolean);
  const { rows } = await sql<Term>`
    select asked.text, asked.words, (
      select count(*)::int from (select from ${candidates(sql`asked.text`, sql`asked.words`)} limit ${COMMON}) as few
    ) as found
    from (select text, words_of(text) as words from unnest(${[...new Set(texts)]}::text[]) as text) as asked
    order by found, length(text) desc
  `.execute(db);
  return rows;
}

/** Returns null if the newest accounts do not tell who comes first. */
async function findAmongNewest(db: Db, terms: Term[], search: AccountSearchQuery): Promise<string[] | null> {
  const { limit } = search;
  const looked = Math.max(NEWEST.atLeast, NEWEST.each * limit);
  const { rows: [{ count, ids }] } = await sql<{ count: number; ids: string[] }>`
    with newest as materialized (
      select id, email from users where ${isOnPage(search)} order by id desc limit ${looked}
    )
    select (select count(*)::int from newest) as count,
      array(select id from newest as users where ${matchesAll(terms)} order by id desc limit ${limit}) as ids
  `.execute(db);
  return count < looked || ids.length === limit ? ids : null;
}

/**
 * Looks at the accounts that the rarest term finds, the newest first, until the page is full. What is not checked for all of
 * them is not read: a term of one word is found by the indexes alone.
 */
async function findByTerm(db: Db, [rarest, ...others]: Term[], search: AccountSearchQuery): Promise<string[]> {
  const { text, words } = rarest;
  const unchecked = words.length > 1 ? [rarest, ...others] : others;
  const { rows } = await sql<{ id: string }>`
    with found as materialized (
      select distinct id from ${candidates(sql`${text}`, sql`${words}::text[]`)} where id < ${after(search)}
    )
    select id from (select id from found order by id desc offset 0) as found
    where ${isFoundOnPage(search, unchecked)} limit ${search.limit}
  `.execute(db);
  return rows.map(({ id }) => id);
}

function isFoundOnPage(search: AccountSearchQuery, terms: Term[]): RawBuilder<SqlBool> {
  if (terms.length === 0 && search.status === undefined) return sql`true`;
  const conditions = [isOnPage(search), ...terms.map(matches)];
  return sql`exists (select from users where users.id = found.id and ${sql.join(conditions, sql` and `)})`;
}

/** Selects the accounts that one term may match. Of several words of a name, the first one is looked up. */
function candidates(text: RawBuilder<unknown>, words: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
    select user_id as id from name_words where ${begins(sql`word`, sql`(${words})[1]`)}
    union all select id from users where ${begins(sql`email collate "C"`, text)}
    union all select id from users where id = ${text}
  ) as candidates`;
}

function matchesAll(terms: Term[]): RawBuilder<SqlBool> {
  return sql.join(terms.map(matches), sql` and `);
}

function matches({ text, words }: Term): RawBuilder<SqlBool> {
  // "offset 0" makes PostgreSQL read the words of this name, rather than all names with the word.
  const ownWords = sql`(select word from name_words where user_id = users.id offset 0)`;
  const isInName = (word: string) =>
    sql`(select true from ${ownWords} as own where ${begins(sql`own.word`, sql`${word}`)} limit 1)`;
  return sql`(${
    sql.join([
      begins(sql`users.email collate "C"`, sql`${text}`),
      sql`users.id = ${text}`,
      ...words.length === 0 ? [] : [sql`(${sql.join(words.map(isInName), sql` and `)})`],
    ], sql` or `)
  })`;
}

function isOnPage(search: AccountSearchQuery): RawBuilder<SqlBool> {
  const { status } = search;
  return sql`users.id < ${after(search)} and ${status === undefined ? sql`true` : isInStatus(status)}`;
}

function after({ after = AFTER_ALL_IDS }: AccountSearchQuery): string {
  return after;
}

/** Whether a text begins with another one: it comes before what the last character of Unicode follows. */
function begins(text: RawBuilder<unknown>, beginning: RawBuilder<unknown>): RawBuilder<SqlBool> {
  return sql`${text} >= ${beginning} and ${text} < ${beginning} || chr(1114111)`;
}
