import { sql } from "kysely";
import type { Db } from "../../db/schema.ts";
import { forgetRemovedClients } from "../clients/made_client.ts";
import { listLogoutReceivers, refreshClients } from "../clients/registrations.ts";
import { DAY_SECONDS } from "../duration.ts";
import type { Services } from "../services/services.ts";

/** What apps must hear about the end of sessions: one row for each app and session, until the app has accepted it. */

/** An app, and a session of a person there. */
export interface ToldSession {
  client_id: string;
  user_id: string;
  session_public_id: string;
}

/**
 * Queues what apps must hear about these sessions, in the transaction that ends their grants. A row that already waits
 * says the same. The order keeps two transactions from waiting for each other.
 */
export async function queueLogoutsOf(db: Db, told: ToldSession[], now: Date): Promise<void> {
  if (told.length === 0) return;
  const columns = [
    told.map((each) => each.client_id),
    told.map((each) => each.user_id),
    told.map((each) => each.session_public_id),
  ].map((values) => sql`${values}::text[]`);
  await sql`
    insert into logout_deliveries (id, client_id, subject, session_public_id, queued_at, next_attempt_at)
    select gen_random_uuid()::text, client_id, user_id, session_public_id, ${now}, least(${now}, now())
    from unnest(${sql.join(columns)}) as told(client_id, user_id, session_public_id)
    group by client_id, user_id, session_public_id order by client_id, session_public_id
    on conflict do nothing
  `.execute(db);
}

/** A logout that is leased to this process. */
export interface LeasedLogout {
  /** The `jti` of its tokens. */
  id: string;
  clientId: string;
  userId: string;
  sessionId: string;
  attempts: number;
  queuedAt: Date;
}

/**
 * Leases the logouts that have been due for longest, a few of each app.
 *
 * @param options.places how many each app may get.
 */
export async function leaseLogouts(
  { db, databaseTime }: Pick<Services, "db" | "databaseTime">,
  { places, leaseSeconds }: { places: Map<string, number>; leaseSeconds: number },
): Promise<LeasedLogout[]> {
  const { rows } = await sql<LeasedLogout>`
    with due as (
      select delivery.id from unnest(${[...places.keys()]}::text[], ${[...places.values()]}::int[]) as app(id, places)
      cross join lateral (
        select id from logout_deliveries where client_id = app.id and next_attempt_at <= ${databaseTime()}
        order by next_attempt_at limit app.places for update skip locked
      ) as delivery
    )
    update logout_deliveries set next_attempt_at = ${databaseTime(leaseSeconds)}, attempts = attempts + 1
    where id in (select id from due)
    returning id, client_id as "clientId", subject as "userId", session_public_id as "sessionId", attempts,
      queued_at as "queuedAt"
  `.execute(db);
  return rows;
}

/** Makes a logout due later. */
export async function postponeLogout(
  { db, databaseTime }: Pick<Services, "db" | "databaseTime">,
  { id, seconds }: { id: string; seconds: number },
): Promise<void> {
  await db.updateTable("logout_deliveries").set({ next_attempt_at: databaseTime(seconds) }).where("id", "=", id)
    .execute();
}

/** Deletes a logout that the app has accepted or refused. */
export async function deleteLogout(db: Db, id: string): Promise<void> {
  await db.deleteFrom("logout_deliveries").where("id", "=", id).execute();
}

/** How long an app that was deleted can hear of logouts: longer than they are tried. */
const REMOVED_KEPT_SECONDS = 2 * DAY_SECONDS;

/** Deletes what is queued for apps that hear of no logout. Returns 0: there is never more to do. */
export async function sweepLogouts(services: Pick<Services, "db" | "config" | "databaseTime">): Promise<number> {
  const { db, config } = services;
  await forgetRemovedClients(services, REMOVED_KEPT_SECONDS);
  await refreshClients(services);
  const receivers = listLogoutReceivers(config).map(({ id }) => id);
  await db.deleteFrom("logout_deliveries").where("client_id", "<>", sql<string>`all(${receivers}::text[])`).execute();
  return 0;
}
