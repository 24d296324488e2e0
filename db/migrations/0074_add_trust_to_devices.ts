import type { Kysely } from "kysely";

/**
 * Browsers that their person has trusted: logins there skip the second step for some days. All are null while a browser
 * is not trusted.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("devices")
    .addColumn("trust_id", "text")
    .addColumn("trusted_at", "timestamptz")
    .addColumn("trusted_until", "timestamptz")
    .addColumn("trusted_agent", "text")
    .execute();
}
