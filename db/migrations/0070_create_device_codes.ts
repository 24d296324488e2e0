import { type Kysely, sql } from "kysely";

/**
 * Requests of devices that people answer on another one. The grant of a device has no redirect URI, and says what asked
 * for it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createTable("device_codes")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("user_code_hash", "text", (column) => column.notNull().unique())
    .addColumn("client_id", "text", (column) => column.notNull())
    .addColumn("scopes", sql`text[]`, (column) => column.notNull())
    .addColumn("resource", "text")
    .addColumn("client_address", "text", (column) => column.notNull())
    .addColumn("user_agent", "text")
    .addColumn("interval_seconds", "integer", (column) => column.notNull())
    .addColumn("polled_at", "timestamptz")
    .addColumn("user_id", "text", (column) => column.references("users.id").onDelete("cascade"))
    .addColumn("answer", "text")
    .addColumn("created_at", "timestamptz", (column) => column.notNull())
    .addColumn("expires_at", "timestamptz", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("device_codes_expires_at").on("device_codes").column("expires_at").execute();
  await db.schema.createIndex("device_codes_user_id").on("device_codes").column("user_id")
    .where("user_id", "is not", null).execute();
  await db.schema.alterTable("grants")
    .alterColumn("redirect_uri", (column) => column.dropNotNull())
    .addColumn("device_address", "text")
    .addColumn("device_agent", "text")
    .execute();
}
