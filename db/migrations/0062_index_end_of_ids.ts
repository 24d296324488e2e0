import { type Kysely, sql } from "kysely";

/**
 * Finds users by their id without its time, which is the same at each import of the same user, and remembers it of
 * deleted accounts. Older releases write rows without it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index users_id_end on users (right(id, 22))`.execute(db);
  await sql`alter table deleted_accounts add column id_end_hash text`.execute(db);
  await sql`create index deleted_accounts_id_end_hash on deleted_accounts (id_end_hash)`.execute(db);
}
