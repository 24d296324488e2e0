import type { Kysely } from "kysely";

/** Leads from what happened to an account to the log lines of the request. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("events").addColumn("request_id", "text").execute();
}
