import type { Kysely } from "kysely";

/** The logos of apps, those of CLIENTS_FILE too: small images, in Base64, so that every instance and backup has them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createTable("client_logos")
    .addColumn("client_id", "text", (column) => column.primaryKey())
    .addColumn("image", "text", (column) => column.notNull())
    .addColumn("version", "text", (column) => column.notNull())
    .execute();
}
