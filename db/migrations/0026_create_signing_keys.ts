import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createTable("signing_keys")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("public_key", "jsonb", (column) => column.notNull())
    .addColumn("private_key", "text", (column) => column.notNull())
    .addColumn("signs_from", "timestamptz", (column) => column.notNull())
    .addColumn("expires_at", "timestamptz", (column) => column.notNull())
    .execute();
}
