import type { Kysely } from "kysely";

/** The apps that admins make in the browser. The row of a deleted one stays, without its fields. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createTable("clients")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("fields", "jsonb", (column) => column.notNull())
    .addColumn("secrets", "jsonb", (column) => column.notNull())
    .addColumn("secrets_made", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("version", "integer", (column) => column.notNull().defaultTo(1))
    .addColumn("created_at", "timestamptz", (column) => column.notNull())
    .addColumn("deleted_at", "timestamptz")
    .execute();
}
