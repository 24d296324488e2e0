import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("store_sweep")
    .addColumn("may_delete_most", "boolean", (column) => column.notNull().defaultTo(false)).execute();
}
