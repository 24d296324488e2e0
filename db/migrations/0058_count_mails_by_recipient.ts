import { type Kysely, sql } from "kysely";

/**
 * Lets the limits of emails count by recipient: several accounts can cause emails to one address. Emails that an earlier
 * release has queued have no hash and do not count.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("outbox").addColumn("recipient_hash", "text").execute();
  await sql`
    create index outbox_recipient on outbox (recipient_hash, kind, created_at) where recipient_hash is not null
  `.execute(db);
}
