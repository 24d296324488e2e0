import { type Kysely, sql } from "kysely";

/**
 * Stores the words of all names, so that people are found by the beginnings of them. A trigger writes them, also for
 * instances of the previous release.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createWordsOf(db);
  await db.schema.createTable("name_words")
    .addColumn("user_id", "text", (column) => column.notNull())
    .addColumn("word", sql`text collate "C"`, (column) => column.notNull())
    .execute();
  const { rows: [{ oldest }] } = await sql<{ oldest: string }>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as oldest
  `.execute(db);
  await insertWords(db, sql`true`);
  await db.schema.alterTable("name_words").addPrimaryKeyConstraint("name_words_pkey", ["user_id", "word"]).execute();
  await db.schema.createIndex("name_words_word").on("name_words").columns(["word", "user_id"]).execute();
  await createTrigger(db);
  // The trigger locks the table. Instances of the previous release have changed it until now.
  const isNew = sql`age(xmin) <= age(${oldest}::xid8::xid)`;
  await sql`delete from name_words where user_id in (select id from users where ${isNew})`.execute(db);
  await sql`delete from name_words where not exists (select from users where id = user_id)`.execute(db);
  await insertWords(db, isNew);
  await sql`
    alter table name_words add constraint name_words_user_id_fkey foreign key (user_id) references users on delete cascade
  `.execute(db);
}

async function insertWords(db: Kysely<unknown>, where: ReturnType<typeof sql>): Promise<void> {
  await sql`insert into name_words (user_id, word) select id, unnest(words_of(name)) from users where ${where}`.execute(
    db,
  );
}

async function createTrigger(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function write_name_words() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' then
        if new.name = old.name then
          return null;
        end if;
        delete from name_words where user_id = new.id;
      end if;
      insert into name_words (user_id, word) select new.id, unnest(words_of(new.name));
      return null;
    end $$
  `.execute(db);
  await sql`
    create trigger users_write_name_words after insert or update of name on users
    for each row execute function write_name_words()
  `.execute(db);
}

/**
 * Creates the function that returns the words of a name or a query, without case and accents. It depends on no locale of
 * the database. Most names are ASCII, which needs a tenth of the time.
 */
async function createWordsOf(db: Kysely<unknown>): Promise<void> {
  const { upper, lower } = letterCases();
  const ascii = Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index)).filter((it) =>
    !/[A-Za-z0-9]/.test(it)
  ).join("");
  await sql`
    create function words_of(name text) returns text[] language plpgsql immutable as $$
    declare
      folded text := lower(name collate "C");
    begin
      if folded ~ '[^ -~]' then
        folded := regexp_replace(normalize(folded, NFKD), ${sql.lit(`[${MARKS}]`)}, '', 'g');
        folded := translate(folded, ${sql.lit(upper)}, ${sql.lit(lower)});
        folded := replace(replace(replace(folded, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe');
        folded := regexp_replace(normalize(folded, NFC), ${sql.lit(`[${SEPARATORS}]`)}, ' ', 'g');
      end if;
      folded := translate(folded, ${sql.lit(ascii)}, ${sql.lit(" ".repeat(ascii.length))});
      return array(select distinct left(word, 100) from unnest(string_to_array(folded, ' ')) as word where word <> '');
    end $$
  `.execute(db);
}

/** Accents, and marks that many people leave out: the vowels of Arabic and Hebrew, and joiners of letters. */
const MARKS = String.raw`\u00ad\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7` +
  String.raw`\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff` +
  String.raw`\u200b-\u200f\u2060\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\ufeff`;
/** Punctuation and symbols, which separate words. */
const SEPARATORS =
  String.raw`\u00a0-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u055a-\u055f\u0589\u058a` +
  String.raw`\u05be\u05c0\u05c3\u05c6\u05f3\u05f4\u060c\u061b\u061f\u066a-\u066d\u06d4\u0964\u0965\u2000-\u206f` +
  String.raw`\u2190-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020\u3030\u30a0\u30fb\U0001f000-\U0001faff`;

/** Letters that are the same to people who search, besides those of one case: Arabic forms of Alef, Yeh, Kaf and Teh. */
const SAME = {
  "ø": "o",
  "ł": "l",
  "đ": "d",
  "ħ": "h",
  "ı": "i",
  "ŧ": "t",
  "ς": "σ",
  "ٱ": "ا",
  "ى": "ي",
  "ی": "ي",
  "ک": "ك",
  "ة": "ه",
};

/** Returns the letters to replace, each with its replacement at the same place. */
function letterCases(): { upper: string; lower: string } {
  const pairs = new Map(Object.entries<string>(SAME));
  for (let code = 0x41; code <= 0x1e943; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const letter = String.fromCodePoint(code);
    const small = letter.toLowerCase();
    if (small === letter || [...small].length > 1 || letter.normalize("NFKD") !== letter) continue;
    pairs.set(letter, pairs.get(small) ?? small);
  }
  return { upper: [...pairs.keys()].join(""), lower: [...pairs.values()].join("") };
}
