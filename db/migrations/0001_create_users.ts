import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createType("user_provider").asEnum(["email", "idp"]).execute();
  await db.schema.createTable("users")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("email", "text", (column) => column.notNull().unique())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("password_hash", "text")
    .addColumn("provider", sql`user_provider`, (column) => column.notNull().defaultTo("email"))
    .addColumn("idp_id", "text", (column) => column.unique())
    .addColumn("avatar", "text")
    .addColumn("bio", "text", (column) => column.notNull().defaultTo(""))
    .addColumn("location", "text", (column) => column.notNull().defaultTo(""))
    .addColumn("website", "text", (column) => column.notNull().defaultTo(""))
    .addColumn("email_verified", "boolean", (column) => column.notNull().defaultTo(false))
    .addColumn("created_at", "timestamptz", (column) => column.notNull())
    .addColumn("updated_at", "timestamptz", (column) => column.notNull())
    .execute();
}
