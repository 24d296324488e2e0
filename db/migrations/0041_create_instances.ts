import type { Kysely } from "kysely";

/** The processes that serve with this database, so that one with another store can refuse to start beside them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createTable("instances")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("store_id", "text", (column) => column.notNull())
    .addColumn("seen_at", "timestamptz", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("instances_seen_at").on("instances").column("seen_at").execute();
}
