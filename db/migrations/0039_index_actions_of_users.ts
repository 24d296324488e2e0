import { type Kysely, sql } from "kysely";

/** Finds what a user did to other accounts, in order, without a look at what they did to their own. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index events_actions on events (actor_id, id) where user_id is distinct from actor_id`.execute(db);
}
