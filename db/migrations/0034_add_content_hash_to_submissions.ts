import type { Kysely } from "kysely";

/** Stores which content is being processed, so that other content with the same key is refused meanwhile. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("submissions").addColumn("content_hash", "text").execute();
}
