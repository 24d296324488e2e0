import { type Kysely, sql } from "kysely";

/**
 * One column names the state of an upload, which status and deleted_at described together. The previous release writes
 * these two, and knows no state. A trigger keeps all three in step, so that both releases may run at once: a new state
 * sets the status; otherwise status and deleted_at set the state. A later version removes the trigger and the status.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table uploads add column state text`.execute(db);
  await sql`
    create function state_of_upload(status upload_status, deleted_at timestamptz) returns text language sql stable as $$
      select case when status = 'refused' then 'removing' when deleted_at is not null then 'discarded' else status::text end
    $$
  `.execute(db);
  await sql`update uploads set state = state_of_upload(status, deleted_at)`.execute(db);
  await sql`
    alter table uploads
      alter column state set not null,
      add constraint uploads_state check (state in ('pending', 'stored', 'discarded', 'removing')),
      add constraint uploads_deleted_at check (state = 'removing' or (state = 'discarded') = (deleted_at is not null))
  `.execute(db);
  await sql`
    create function keep_upload_state() returns trigger language plpgsql as $$
    declare
      previous text := case when tg_op = 'UPDATE' then old.state end;
    begin
      if new.state is not distinct from previous then
        new.state := state_of_upload(new.status, new.deleted_at);
      else
        new.status := case new.state when 'removing' then 'refused' when 'pending' then 'pending' else 'stored' end;
      end if;
      return new;
    end $$
  `.execute(db);
  await sql`
    create trigger uploads_keep_state before insert or update of state, status, deleted_at on uploads
    for each row execute function keep_upload_state()
  `.execute(db);
  await replaceIndexes(db);
}

/** The list and the quota of a user read no other columns. The statements of the previous release work without these. */
async function replaceIndexes(db: Kysely<unknown>): Promise<void> {
  await sql`drop index uploads_user_id, uploads_without_user`.execute(db);
  await sql`create index uploads_user_id_state on uploads (user_id, id) include (state, bytes)`.execute(db);
  await sql`create index uploads_ownerless on uploads (id) where user_id is null and state <> 'removing'`.execute(db);
}
