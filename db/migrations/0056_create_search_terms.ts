import { type Kysely, sql } from "kysely";

/**
 * Replaces a row for each word of a name by one for each user, with an index that finds several words at once: two common
 * ones took a tenth of a second among a million people. The addresses are there too, for admins. Users can be read
 * meanwhile, but not written: for half a minute with a million of them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`lock table users in share row exclusive mode`.execute(db);
  await db.schema.createTable("search_terms")
    .addColumn("user_id", "text", (column) => column.notNull())
    .addColumn("terms", sql`tsvector`, (column) => column.notNull())
    .execute();
  await sql`
    insert into search_terms (user_id, terms)
    select id, array_to_tsvector(array(select word from name_words where user_id = id) || ('@' || email)) from users
  `.execute(db);
  await replaceTrigger(db);
  await sql`drop table name_words`.execute(db);
  await sql`drop index users_email_beginning`.execute(db);
  await sql`
    alter table search_terms add primary key (user_id),
      add foreign key (user_id) references users on delete cascade
  `.execute(db);
  // Without fastupdate, no search reads rows that wait for the index, and no registration adds them all at once.
  await sql`create index search_terms_terms on search_terms using gin (terms) with (fastupdate = off)`.execute(db);
}

async function replaceTrigger(db: Kysely<unknown>): Promise<void> {
  await sql`drop trigger users_write_name_words on users`.execute(db);
  await sql`drop function write_name_words()`.execute(db);
  await sql`
    create function write_search_terms() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' and new.name = old.name and new.email = old.email then
        return null;
      end if;
      insert into search_terms (user_id, terms)
        values (new.id, array_to_tsvector(words_of(new.name) || ('@' || new.email)))
        on conflict (user_id) do update set terms = excluded.terms;
      return null;
    end $$
  `.execute(db);
  await sql`
    create trigger users_write_search_terms after insert or update of name, email on users
    for each row execute function write_search_terms()
  `.execute(db);
}
