import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createTable("webhooks")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("created_by", "text", (column) => column.references("users.id").onDelete("set null"))
    .addColumn("url", "text", (column) => column.notNull())
    .addColumn("kinds", sql`text[]`, (column) => column.notNull())
    .addColumn("failures", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("failing_since", "timestamptz")
    .addColumn("rests_until", "timestamptz")
    .addColumn("disabled_at", "timestamptz")
    .addColumn("disabled_because", "text")
    .addColumn("deleted_at", "timestamptz")
    .addColumn("created_at", "timestamptz", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("webhooks_created_by").on("webhooks").column("created_by").execute();
  await db.schema.createTable("webhook_secrets")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("webhook_id", "text", (column) => column.notNull().references("webhooks.id").onDelete("cascade"))
    .addColumn("secret", "text", (column) => column.notNull())
    .addColumn("expires_at", "timestamptz")
    .execute();
  await db.schema.createIndex("webhook_secrets_webhook_id").on("webhook_secrets").column("webhook_id").execute();
  await db.schema.createIndex("webhook_secrets_expires_at").on("webhook_secrets").column("expires_at").execute();
}
