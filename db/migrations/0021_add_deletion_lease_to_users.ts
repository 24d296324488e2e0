import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table users add column deletion_lease_ends_at timestamptz`.execute(db);
  await db.schema.createIndex("users_deletion_due_at").on("users").column("deletion_due_at")
    .where("deletion_due_at", "is not", null).execute();
}
