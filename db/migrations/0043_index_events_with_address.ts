import { type Kysely, sql } from "kysely";

/** Finds the oldest events that still have a client address, without a look at those that no longer have one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index events_with_address on events (created_at) where client_address is not null`.execute(db);
}
