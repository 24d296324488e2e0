import type { Kysely } from "kysely";

/** What the delivery service said about its last refusal. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("outbox").addColumn("answer", "text").execute();
}
