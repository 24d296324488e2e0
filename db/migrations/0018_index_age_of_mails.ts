import type { Kysely } from "kysely";

/** For the sweep of old emails, which otherwise reads the whole table every minute. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex("outbox_created_at").on("outbox").column("created_at").execute();
}
