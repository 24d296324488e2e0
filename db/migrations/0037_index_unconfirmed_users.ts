import { type Kysely, sql } from "kysely";

/** Finds the accounts that were never confirmed, oldest first, without a look at the others. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index users_unconfirmed on users (created_at) where not email_verified and deletion_due_at is null
  `.execute(db);
}
