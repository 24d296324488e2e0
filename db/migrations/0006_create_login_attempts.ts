import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createTable("login_attempts")
    .addColumn("client_address", "text", (column) => column.primaryKey())
    .addColumn("attempts", "integer", (column) => column.notNull())
    .addColumn("window_ends_at", "timestamptz", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("login_attempts_window_ends_at").on("login_attempts").column("window_ends_at").execute();
}
