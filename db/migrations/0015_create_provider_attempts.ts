import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createTable("provider_attempts")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("purpose", "text", (column) => column.notNull())
    .addColumn("user_id", "text", (column) => column.references("users.id").onDelete("cascade"))
    .addColumn("session_ids", sql`text[]`, (column) => column.notNull())
    .addColumn("expires_at", "timestamptz", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("provider_attempts_user_id").on("provider_attempts").column("user_id").execute();
  await db.schema.createIndex("provider_attempts_expires_at").on("provider_attempts").column("expires_at").execute();
}
