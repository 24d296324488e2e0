import type { Kysely } from "kysely";

/** Groups of people. A membership has one row for each source that says so. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createTable("groups")
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("title", "text", (column) => column.notNull())
    .addColumn("created_at", "timestamptz", (column) => column.notNull())
    .execute();
  await db.schema.createTable("group_members")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("user_id", "text", (column) => column.notNull().references("users.id").onDelete("cascade"))
    .addColumn("group_name", "text", (column) => column.notNull().references("groups.name").onDelete("cascade"))
    .addColumn("source", "text", (column) => column.notNull())
    .addColumn("created_at", "timestamptz", (column) => column.notNull())
    .addColumn("expires_at", "timestamptz")
    .addUniqueConstraint("group_members_key", ["user_id", "group_name", "source"])
    .execute();
  await db.schema.createIndex("group_members_group").on("group_members").columns(["group_name", "user_id"]).execute();
  await db.schema.createIndex("group_members_expires_at").on("group_members").column("expires_at")
    .where("expires_at", "is not", null).execute();
}
