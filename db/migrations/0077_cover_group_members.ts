import type { Kysely } from "kysely";

/** The list of groups counts their members from the index alone: with a million, their rows would take seconds. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex("group_members_counted").on("group_members")
    .columns(["group_name", "user_id", "expires_at"]).execute();
  await db.schema.dropIndex("group_members_group").execute();
}
