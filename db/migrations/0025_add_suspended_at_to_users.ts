import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table users add column if not exists suspended_at timestamptz`.execute(db);
  await db.schema.createIndex("users_suspended_at").on("users").column("suspended_at")
    .where("suspended_at", "is not", null).execute();
}
