import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createType("mail_status").asEnum(["pending", "sent", "failed"]).execute();
  await db.schema.createTable("outbox")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("user_id", "text", (column) => column.notNull().references("users.id").onDelete("cascade"))
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("payload", "text")
    .addColumn("status", sql`mail_status`, (column) => column.notNull().defaultTo("pending"))
    .addColumn("attempts", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("next_attempt_at", "timestamptz", (column) => column.notNull())
    .addColumn("expires_at", "timestamptz", (column) => column.notNull())
    .addColumn("created_at", "timestamptz", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("outbox_due").on("outbox").column("next_attempt_at")
    .where(sql.ref("status"), "=", "pending").execute();
  await db.schema.createIndex("outbox_user_id").on("outbox").columns(["user_id", "created_at"]).execute();
}
