import type { Kysely } from "kysely";

/** Stores the page to go to after a sign-in, because people can have several attempts at the same time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("provider_attempts").addColumn("next", "text").execute();
}
