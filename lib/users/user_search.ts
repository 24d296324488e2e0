import { type Expression, type RawBuilder, sql } from "kysely";
import { type Placeholders, prepare } from "../../db/prepared_query.ts";
import type { Db } from "../../db/schema.ts";
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

/** How many of the newest words are looked at for each user on the page. */
const NEWEST_WORDS = 160;
/** How many of the newest words tell how common a beginning is. */
const SAMPLE = 4_000;
/** Among beginnings that are missing there, those of so many words count as equally common. */
const COMMON = 1_000;
/** Comes after all ids, which are hexadecimal. */
const AFTER_ALL_IDS = "z";

const COLUMNS = sql.join(LISTED_USER_COLUMNS.map((column) => sql.ref(`users.${column}`)));

interface Search {
  query: string;
  after: string;
  limit: number;
  newestWords: number;
  unconfirmed: boolean;
}
type Values = Placeholders<Search>;
type Sql = RawBuilder<unknown>;

/**
 * A common beginning is found among the newest words. Otherwise it is rare, and all words that begin with it are few. Each
 * way is one range of an index. Of several words, the rarest one is found like this, and the others are checked for each
 * user that it finds.
 *
 * The function `words_of` of the database has also written the words of the names.
 */
const selectFound = prepare((db, values: Values) => {
  const { query, after, limit, newestWords } = values;
  const newest = newestOf(after, newestWords);
  const statement = sql<ListedUserRow>`
    with searched as materialized (select words[1] as word, words[2:] as others from (${wordsOf(query)}) as asked),
    newest as materialized (${usersIn(newest, values)}),
    others as (${usersIn(sql`name_words`, values)})
    select * from newest where (select count(*) from newest) = ${limit}
    union all
    select * from others where (select count(*) from newest) < ${limit}
    order by id desc
  `;
  return { compile: () => statement.compile(db) };
});

/**
 * Selects the words of a query, the rarest first: among the newest words, and of those that are missing there, among all.
 * Counting stops at common words. A single word is not counted.
 */
function wordsOf(query: Values["query"]): Sql {
  const counted = (words: Sql) => sql`case when size > 1 then (select count(*) from ${words} as name_words) end`;
  const isFound = begins(sql`name_words.word`, sql`asked.word`);
  const amongNewest = counted(
    sql`(select from ${newestOf(sql.lit(AFTER_ALL_IDS), sql.lit(SAMPLE))} as name_words where ${isFound})`,
  );
  const amongAll = counted(sql`(select from name_words where ${isFound} order by word limit ${sql.lit(COMMON)})`);
  return sql`
    select array_agg(word order by ${amongNewest}, ${amongAll}) as words
    from (select word, count(*) over () as size from unnest(words_of(${query})) as word) as asked
  `;
}

/** Selects the newest words of users before an id. */
function newestOf(id: Expression<string>, limit: Expression<number>): Sql {
  return sql`(select * from name_words where user_id < ${id} order by user_id desc limit ${limit})`;
}

/** Selects the newest users whose names have the rarest word in these words, and all others too. */
function usersIn(words: Sql, { after, limit, unconfirmed }: Values): Sql {
  return sql`
    select ${COLUMNS} from (
      select distinct user_id from ${words} as name_words
      where ${begins(sql`word`, sql`(select word from searched)`)} and user_id < ${after}
      order by user_id desc offset 0
    ) as found
    join users on users.id = found.user_id
    where deletion_due_at is null and suspended_at is null and (email_verified or ${unconfirmed})
      and not exists (
        select from searched, unnest(others) as other(word) where not exists (
          select from name_words where user_id = found.user_id and ${begins(sql`name_words.word`, sql`other.word`)}
        )
      )
    order by found.user_id desc limit ${limit}
  `;
}

/** Whether a word begins with another one: it comes before what the last character of Unicode follows. */
function begins(word: Sql, beginning: Sql): Sql {
  return sql`${word} >= ${beginning} and ${word} < ${beginning} || chr(1114111)`;
}

/** Finds the newest users in whose names each word of the query begins a word. Without a letter or digit, there is none. */
export async function findUsersByName(db: Db, { cursor, limit, ...search }: Found): Promise<ListedUserRow[]> {
  const newestWords = limit * NEWEST_WORDS;
  return await selectFound(db, { ...search, limit, newestWords, after: cursor ?? AFTER_ALL_IDS });
}
