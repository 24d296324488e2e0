import type { Kysely } from "kysely";

/** Remembers which accounts were deleted, as hashes, so that a restored backup does not bring them back. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createTable("deleted_accounts")
    .addColumn("id_hash", "text", (column) => column.primaryKey())
    .addColumn("deleted_at", "timestamptz", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("deleted_accounts_deleted_at").on("deleted_accounts").column("deleted_at").execute();
}
