import { type Kysely, sql } from "kysely";

/**
 * Until when an admin has given a person more time to set up a second factor, and when the person was told the date;
 * null for both if that has not happened.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ["second_factor_extended_until", "second_factor_announced_at"]) {
    await db.schema.alterTable("users").addColumn(column, "timestamptz").execute();
  }
  await db.schema.createIndex("users_second_factor_due").on("users").column("second_factor_due_at")
    .where(sql<boolean>`second_factor_due_at is not null and second_factor_announced_at is null`).execute();
}
