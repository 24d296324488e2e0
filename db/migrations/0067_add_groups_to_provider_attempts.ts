import { type Kysely, sql } from "kysely";

/** The groups that a provider has named, until the link to it is completed. Null if it has said nothing. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("provider_attempts").addColumn("groups", sql`text[]`).execute();
}
