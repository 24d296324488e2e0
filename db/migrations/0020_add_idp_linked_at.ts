import type { Kysely } from "kysely";

/** Stores when an account was linked to an identity, so that the link can be undone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("users").addColumn("idp_linked_at", "timestamptz").execute();
}
