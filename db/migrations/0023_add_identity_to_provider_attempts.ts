import type { Kysely } from "kysely";

/** Stores whom the provider has signed in, until the person confirms that this identity is added to their account. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("provider_attempts").addColumn("subject", "text").addColumn("email", "text").execute();
}
