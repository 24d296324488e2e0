import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createTable("api_tokens")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("user_id", "text", (column) => column.notNull().references("users.id").onDelete("cascade"))
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("token_hash", "text", (column) => column.notNull().unique())
    .addColumn("hint", "text", (column) => column.notNull())
    .addColumn("scopes", sql`text[]`, (column) => column.notNull())
    .addColumn("created_at", "timestamptz", (column) => column.notNull())
    .addColumn("expires_at", "timestamptz", (column) => column.notNull())
    .addColumn("last_used_at", "timestamptz")
    .addColumn("remind_at", "timestamptz")
    .execute();
  await db.schema.createIndex("api_tokens_user_id").on("api_tokens").column("user_id").execute();
  await db.schema.createIndex("api_tokens_expires_at").on("api_tokens").column("expires_at").execute();
  await db.schema.createIndex("api_tokens_remind_at").on("api_tokens").column("remind_at")
    .where("remind_at", "is not", null).execute();
}
