import { type Kysely, sql } from "kysely";

/**
 * Lets admins find accounts, emails and events in the time that a page takes, however many there are. Addresses are found
 * by their beginnings, so their index must not follow the locale of the database.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index users_email_beginning on users (email collate "C")`.execute(db);
  await sql`create index users_suspended on users (id) where suspended_at is not null`.execute(db);
  await sql`create index users_closing on users (id) where deletion_due_at is not null`.execute(db);
  await sql`create index users_unverified on users (id) where not email_verified`.execute(db);
  await sql`alter table outbox add column sent_at timestamptz`.execute(db);
  await sql`create index outbox_status on outbox (status, id)`.execute(db);
  await sql`create index events_kind on events (kind, id)`.execute(db);
  await sql`create index events_command_line on events (id) where actor is not null`.execute(db);
  await sql`create index events_actor on events (actor_id, id)`.execute(db);
  await sql`drop index events_actor_id`.execute(db);
}
