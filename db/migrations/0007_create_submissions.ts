import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createTable("submissions")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("outcome", "text")
    .addColumn("expires_at", "timestamptz", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("submissions_expires_at").on("submissions").column("expires_at").execute();
}
