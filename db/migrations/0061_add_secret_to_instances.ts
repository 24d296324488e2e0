import type { Kysely } from "kysely";

/** A fingerprint of the APP_SECRET of an instance. Older releases write rows without one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("instances").addColumn("secret_fingerprint", "text").execute();
}
