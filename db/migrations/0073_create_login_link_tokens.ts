import type { Kysely } from "kysely";

/** Links that log in once: invitations and recoveries without a password, and those of the command line. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createTable("login_link_tokens")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("user_id", "text", (column) => column.notNull().references("users.id").onDelete("cascade"))
    .addColumn("token_hash", "text", (column) => column.notNull().unique())
    .addColumn("expires_at", "timestamptz", (column) => column.notNull())
    .addColumn("used", "boolean", (column) => column.notNull().defaultTo(false))
    .addColumn("next", "text")
    .execute();
  await db.schema.createIndex("login_link_tokens_user_id").on("login_link_tokens").column("user_id").execute();
  await db.schema.createIndex("login_link_tokens_expires_at").on("login_link_tokens").column("expires_at").execute();
}
