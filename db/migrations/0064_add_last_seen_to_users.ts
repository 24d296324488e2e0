import { type Kysely, sql } from "kysely";

/**
 * When a person was last seen, which outlives their sessions. Instances of older releases write only the sessions. The
 * events tell of sessions that have ended.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("users").addColumn("last_seen_at", "timestamptz").execute();
  await sql`
    update users set last_seen_at = seen.at
    from (
      select user_id, max(at) as at
      from (
        select user_id, last_seen_at as at from sessions
        union all
        select user_id, created_at from events where kind = 'session.started'
      ) as each group by user_id
    ) as seen
    where users.id = seen.user_id
  `.execute(db);
}
