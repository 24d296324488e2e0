import type { Kysely } from "kysely";

/** The metadata documents of unregistered clients, as they were last read. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createTable("client_documents")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("redirect_uris", "jsonb", (column) => column.notNull())
    .addColumn("expires_at", "timestamptz", (column) => column.notNull())
    .addColumn("read_after", "timestamptz")
    .addColumn("used_at", "timestamptz", (column) => column.notNull())
    .execute();
}
