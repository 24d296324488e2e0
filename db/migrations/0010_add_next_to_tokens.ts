import type { Kysely } from "kysely";

/** Stores the page to go to after a link, so that emails do not contain it: anyone can choose it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ["email_verification_tokens", "password_reset_tokens"]) {
    await db.schema.alterTable(table).addColumn("next", "text").execute();
  }
}
