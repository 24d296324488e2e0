import type { Kysely } from "kysely";

/** The language of emails that no request causes, to people who have chosen none. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("users").addColumn("registration_language", "text").execute();
}
