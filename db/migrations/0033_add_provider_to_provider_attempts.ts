import type { Kysely } from "kysely";

/** Stores at which provider an attempt was started. The previous release knows only the default provider. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("provider_attempts")
    .addColumn("provider", "text", (column) => column.notNull().defaultTo("default")).execute();
}
