import { type Kysely, sql } from "kysely";

/**
 * What operators do to accounts. The trigger keeps the last admin, whichever statement would remove them: the lock makes
 * concurrent removals wait, and each then sees what the previous one has done.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table events add column if not exists actor text`.execute(db);
  await sql`alter table users add column if not exists suspension_reason text`.execute(db);
  await sql`create index if not exists users_admins on users (id) where role = 'admin'`.execute(db);
  await sql`
    create or replace function keep_an_admin() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock(hashtext('foyer last admin'));
      if not exists (
        select from users
        where role = 'admin' and suspended_at is null and deletion_due_at is null and id <> old.id
      ) then
        raise exception 'this is the last admin' using errcode = 'FY001';
      end if;
      if tg_op = 'DELETE' then return old; end if;
      return new;
    end $$
  `.execute(db);
  const wasAdmin = sql`old.role = 'admin' and old.suspended_at is null and old.deletion_due_at is null`;
  const isAdmin = sql`new.role = 'admin' and new.suspended_at is null and new.deletion_due_at is null`;
  await sql`
    create or replace trigger keep_an_admin_on_update before update on users for each row
    when (${wasAdmin} and not (${isAdmin})) execute function keep_an_admin()
  `.execute(db);
  await sql`
    create or replace trigger keep_an_admin_on_delete before delete on users for each row
    when (${wasAdmin}) execute function keep_an_admin()
  `.execute(db);
}
