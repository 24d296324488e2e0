import type { Kysely } from "kysely";

/**
 * By when a person must have a second factor; null until SECOND_FACTOR reaches them. And the last proof in a session,
 * which may differ from that which opened it; null for that.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("users").addColumn("second_factor_due_at", "timestamptz").execute();
  await db.schema.alterTable("sessions").addColumn("last_proof", "text").execute();
}
