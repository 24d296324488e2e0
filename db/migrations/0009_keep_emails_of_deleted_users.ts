import { type Kysely, sql } from "kysely";

/** Keeps queued emails when their user is deleted, so that an email about the deletion is still sent. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table outbox
      alter column user_id drop not null,
      drop constraint outbox_user_id_fkey,
      add constraint outbox_user_id_fkey foreign key (user_id) references users (id) on delete set null
  `.execute(db);
}
