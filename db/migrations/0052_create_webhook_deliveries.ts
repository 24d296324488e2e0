import { type Kysely, sql } from "kysely";

/**
 * A trigger queues each event for the webhooks that take its kind, in the transaction of the event: also those of the
 * previous release, and those whose content a deletion empties in the same transaction. Without webhooks it reads an empty
 * table, and writes nothing.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db);
  await createIds(db);
  await createQueueing(db);
  await createForgetting(db);
}

/**
 * `webhook_id` has no foreign key: its check would lock the row of the webhook in every transaction with an event. The sweep
 * deletes the deliveries of a deleted webhook.
 */
async function createTable(db: Kysely<unknown>): Promise<void> {
  await db.schema.createTable("webhook_deliveries")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("webhook_id", "text", (column) => column.notNull())
    .addColumn("event_id", "text", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("user_id", "text")
    .addColumn("actor_id", "text")
    .addColumn("details", "jsonb", (column) => column.notNull())
    .addColumn("happened_at", "timestamptz", (column) => column.notNull())
    .addColumn("status", sql`mail_status`, (column) => column.notNull().defaultTo("pending"))
    .addColumn("attempts", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("next_attempt_at", "timestamptz", (column) => column.notNull())
    .addColumn("queued_at", "timestamptz", (column) => column.notNull())
    .addColumn("ended_at", "timestamptz")
    .addColumn("response_status", "integer")
    .addColumn("failure", "text")
    .execute();
  await db.schema.createIndex("webhook_deliveries_of_webhook").on("webhook_deliveries").columns(["webhook_id", "id"])
    .execute();
  await db.schema.createIndex("webhook_deliveries_due").on("webhook_deliveries")
    .columns(["webhook_id", "next_attempt_at"]).where(sql.ref("status"), "=", "pending").execute();
  await db.schema.createIndex("webhook_deliveries_queued_at").on("webhook_deliveries").column("queued_at").execute();
  await db.schema.createIndex("webhook_deliveries_user_id").on("webhook_deliveries").column("user_id").execute();
  await sql`
    create index webhook_deliveries_actor_id on webhook_deliveries (actor_id) where actor_id is distinct from user_id
  `.execute(db);
}

/** PostgreSQL has `uuidv7()` only since version 18. */
async function createIds(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function new_delivery_id() returns text language sql volatile as $$
      select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing
        substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6
      ), 52, 1), 53, 1), 'hex')::uuid::text
    $$
  `.execute(db);
}

/**
 * An event is also queued again when another change is merged into it. That delivery has an id of its own, because receivers
 * drop what they have had.
 */
async function createQueueing(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function queue_webhook_deliveries() returns trigger language plpgsql as $$
    declare
      event_id text;
      happened_at timestamptz;
    begin
      -- The insert would open the table and its indexes, even for no rows.
      if not exists (select from webhooks) then
        return null;
      end if;
      event_id := case when tg_op = 'INSERT' then new.id else new_delivery_id() end;
      happened_at := case when tg_op = 'INSERT' then new.created_at else now() end;
      insert into webhook_deliveries
        (id, webhook_id, event_id, kind, user_id, actor_id, details, happened_at, queued_at, next_attempt_at)
      select new_delivery_id(), webhooks.id, event_id, new.kind, new.user_id, new.actor_id, new.details, happened_at,
        happened_at, least(happened_at, now()) -- due at once, even if the clock of the instance is ahead
      from webhooks
      where webhooks.disabled_at is null and webhooks.deleted_at is null and new.kind = any(webhooks.kinds);
      return null;
    end $$
  `.execute(db);
  await sql`
    create trigger events_queue_webhook_deliveries after insert on events
    for each row execute function queue_webhook_deliveries()
  `.execute(db);
  await sql`
    create trigger events_queue_webhook_deliveries_again after update of transaction_id on events
    for each row when (new.transaction_id is not null and new.transaction_id is distinct from old.transaction_id)
    execute function queue_webhook_deliveries()
  `.execute(db);
}

/** What waits is still sent, and emptied then. The deletion itself keeps the id, so that it can be sent again. */
async function createForgetting(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function empty_webhook_deliveries() returns trigger language plpgsql as $$
    begin
      update webhook_deliveries set user_id = null, actor_id = null, details = '{}'
      where user_id = old.id and status <> 'pending' and kind <> 'user.deleted';
      update webhook_deliveries set actor_id = null
      where actor_id = old.id and actor_id is distinct from user_id and status <> 'pending';
      return null;
    end $$
  `.execute(db);
  await sql`
    create trigger users_empty_webhook_deliveries after delete on users
    for each row execute function empty_webhook_deliveries()
  `.execute(db);
}
