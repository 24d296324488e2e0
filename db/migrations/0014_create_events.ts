import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createTable("events")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("user_id", "text", (column) => column.references("users.id").onDelete("set null"))
    .addColumn("actor_id", "text", (column) => column.references("users.id").onDelete("set null"))
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("session_public_id", "text")
    .addColumn("client_address", "text")
    .addColumn("device", "text")
    .addColumn("details", "jsonb", (column) => column.notNull().defaultTo(sql`'{}'`))
    .addColumn("created_at", "timestamptz", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("events_user_id").on("events").columns(["user_id", "id"]).execute();
  await db.schema.createIndex("events_actor_id").on("events").column("actor_id").execute();
  await db.schema.createIndex("events_created_at").on("events").column("created_at").execute();
}
