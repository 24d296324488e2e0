import { type Kysely, sql } from "kysely";

/**
 * Stores the people of all identity providers who can log in. users.idp_id still belongs to the default provider: a
 * trigger copies it, so that instances of the previous release, which know no other table, keep both in step.
 *
 * The address at the provider is not known for what exists, nor for what the previous release adds. The next sign-in fills
 * it in.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Version 7, which PostgreSQL makes by itself only from 18 on.
  await sql`
    create function new_identity_id() returns text language sql volatile as $$
      select encode(
        set_bit(set_bit(
          overlay(
            uuid_send(gen_random_uuid())
            placing substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
            from 1 for 6
          ), 52, 1), 53, 1), 'hex')::uuid::text
    $$
  `.execute(db);
  await db.schema.createTable("identities")
    .addColumn("id", "text", (column) => column.primaryKey().defaultTo(sql`new_identity_id()`))
    .addColumn("user_id", "text", (column) => column.notNull().references("users.id").onDelete("cascade"))
    .addColumn("provider", "text", (column) => column.notNull())
    .addColumn("subject", "text", (column) => column.notNull())
    .addColumn("email", "text")
    .addColumn("linked_at", "timestamptz", (column) => column.notNull())
    .addUniqueConstraint("identities_provider_subject", ["provider", "subject"])
    .addUniqueConstraint("identities_provider_email", ["provider", "email"])
    .addUniqueConstraint("identities_user_id_provider", ["user_id", "provider"])
    .execute();
  await sql`
    create function copy_idp_id() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' then
        delete from identities
        where user_id = old.id and provider = 'default' and subject is distinct from new.idp_id;
      end if;
      if new.idp_id is not null then
        insert into identities (user_id, provider, subject, linked_at)
        values (new.id, 'default', new.idp_id, coalesce(new.idp_linked_at, new.created_at))
        on conflict (provider, subject) do nothing;
      end if;
      return null;
    end $$
  `.execute(db);
  await sql`
    create trigger users_copy_idp_id after insert or update of idp_id on users
    for each row execute function copy_idp_id()
  `.execute(db);
  await sql`
    insert into identities (user_id, provider, subject, linked_at)
    select id, 'default', idp_id, coalesce(idp_linked_at, created_at) from users where idp_id is not null
  `.execute(db);
}
