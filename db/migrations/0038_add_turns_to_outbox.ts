import { type Kysely, sql } from "kysely";

/**
 * The order in which emails are delivered: first those that someone waits for, then by turn, which is later the more emails
 * the recipient already has in the queue. The previous release sets neither. Its emails count as awaited, because a reset
 * may be among them, and take the next turn.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table outbox
      add column is_awaited boolean not null default true,
      add column turn_at timestamptz not null default now()
  `.execute(db);
  // The time of the next attempt is included so that finding due emails reads no rows that are not due.
  await sql`
    create index outbox_turns on outbox (is_awaited desc, turn_at, next_attempt_at) where status = 'pending'
  `.execute(db);
  await sql`create index outbox_pending_of_user on outbox (user_id) where status = 'pending'`.execute(db);
}
