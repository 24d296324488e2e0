import type { Kysely } from "kysely";

/** The number that links to a private file contain. Raising it revokes them. Older releases can write rows without it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("uploads")
    .addColumn("link_number", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
}
