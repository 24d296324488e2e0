import { type Kysely, sql } from "kysely";

/** Finds the events of one request. Without the index, PostgreSQL reads all events, which takes longer than a query may. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index events_request on events (request_id) where request_id is not null`.execute(db);
}
