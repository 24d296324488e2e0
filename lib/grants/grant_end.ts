import { type RawBuilder, sql, type Transaction } from "kysely";
import type { Database, Db } from "../../db/schema.ts";
import type { Client } from "../activity/client.ts";
import { type Actor, type NewEvent, recordEvents } from "../activity/events.ts";
import { queueLogoutsOf, type ToldSession } from "./logout_delivery.ts";
import type { AppEndReason, EndReason } from "../activity/kinds.ts";

/** Which grants end with sessions. Offline grants have no session, so they either all end or all stay. */
interface GrantEnds {
  /** "theirs": those of the sessions that end. "all": those of a session that stays open too. */
  session: "theirs" | "all";
  offline: "stay" | "end";
}

const WITH_SESSIONS: GrantEnds = { session: "theirs", offline: "stay" };
const WITH_ACCESS: GrantEnds = { session: "all", offline: "end" };

/**
 * Which grants end for each reason for which sessions end. Grants are deleted, in the transaction of the act. A consent
 * stays, unless its owner disconnects the app, or says of an act that it was not theirs: then the consents since go
 * too.
 */
const GRANT_ENDS: Record<EndReason, GrantEnds> = {
  logout: WITH_SESSIONS,
  new_session: WITH_SESSIONS,
  ended: WITH_SESSIONS,
  admin: WITH_SESSIONS,
  password_changed: { session: "theirs", offline: "end" },
  password_reset: WITH_ACCESS,
  email_verified: WITH_ACCESS,
  identity_linked: WITH_ACCESS,
  not_me: WITH_ACCESS,
  account_closing: WITH_ACCESS,
  account_deleted: WITH_ACCESS,
  account_suspended: WITH_ACCESS,
  secrets_revoked: WITH_ACCESS,
};

/** Why grants end, and the client that ends them. */
export interface GrantEnd {
  reason: AppEndReason;
  /** The words of an operator, which replace the reason. */
  words?: string;
  /** Null if no request ends them. */
  client: Client | null;
  /** Who ends them, if it is not their owner. */
  by?: Actor;
  /** The session that ends them. */
  sessionId?: string;
  now: Date;
}

/**
 * Ends the grants that end with these sessions, and queues what apps must hear of it: also those whose grants stay.
 * Call it after the sessions have been deleted.
 */
export async function endGrantsOfSessions(db: Db, sessionIds: string[], now: Date): Promise<void> {
  if (sessionIds.length === 0) return;
  // The events of the sessions say it. A person has an event of each app only where it would go on without them.
  const isTheirs = sql`session_public_id = any(${sessionIds})`;
  const told = sql`client_id, user_id, session_public_id`;
  const { rows } = await sql<ToldSession>`
    with ended as (${deleteGrants(sql`${isTheirs} and not is_offline`)} returning ${told})
    select ${told} from ended union all select ${told} from grants where ${isTheirs} and is_offline
  `.execute(db);
  // After the grants: a transaction waits for a row of the queue only while it holds the grants.
  await queueLogoutsOf(db, rows, now);
}

/**
 * Returns the statement that deletes the grants of a condition. It locks them in one order: otherwise two transactions
 * that end the same grants in different ways could wait for each other.
 */
export function deleteGrants(condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    delete from grants where id in (select id from grants where ${condition} order by id for update)
  `;
}

/** Returns the part of a statement that ends the grants of the expired sessions which it deletes as `gone`. */
export function deleteGrantsOfGone(): RawBuilder<unknown> {
  return deleteGrants(sql`session_public_id in (select public_id from gone) and not is_offline`);
}

/**
 * Ends grants of a user when sessions of theirs end, as {@linkcode GRANT_ENDS} says.
 *
 * @param options.endedIds the public ids of the sessions that have just been deleted.
 * @param options.offline whether offline grants end, if the reason does not say so.
 */
export async function endGrantsOfUser(
  db: Db,
  { userId, endedIds, offline = false }: { userId: string; endedIds: string[]; offline?: boolean },
  end: GrantEnd & { reason: EndReason },
): Promise<void> {
  const ends = GRANT_ENDS[end.reason];
  if (ends.session === "theirs") await endGrantsOfSessions(db, endedIds, end.now);
  const endsOffline = offline || ends.offline === "end";
  if (!endsOffline) return;
  const ended = await endGrantsWhere(
    db,
    ends.session === "theirs" ? sql`user_id = ${userId} and is_offline` : sql`user_id = ${userId}`,
    end.now,
  );
  const goingOn = ended.filter((grant) => grant.is_offline || !endedIds.includes(grant.session_public_id));
  const used = goingOn.filter(({ code_spent_at }) => code_spent_at !== null);
  await recordAppEnds(db, { userId, clientIds: used.map(({ client_id }) => client_id) }, end);
}

/** A grant that has just ended. */
interface EndedGrant extends ToldSession {
  is_offline: boolean;
  /** Null for a code that no one has exchanged. */
  code_spent_at: Date | null;
}

/** Ends the grants of a condition, and queues what their apps must hear of it. */
async function endGrantsWhere(db: Db, condition: RawBuilder<unknown>, now: Date): Promise<EndedGrant[]> {
  const { rows } = await sql<EndedGrant>`
    ${deleteGrants(condition)} returning client_id, user_id, session_public_id, is_offline, code_spent_at
  `.execute(db);
  await queueLogoutsOf(db, rows, now);
  return rows;
}

/** Ends the grants of a consent, and queues what the app must hear of it. */
export async function endGrantsOfConsent(
  db: Db,
  { id, userId }: { id: string; userId: string },
  now: Date,
): Promise<void> {
  await endGrantsWhere(db, sql`consent_id = ${id} and user_id = ${userId}`, now);
}

/** The consents of an app whose grants end. */
interface ConsentsOfApp {
  clientId: string;
  /** The last consent of the previous batch. */
  after: string;
  limit: number;
  /** Whether what people have allowed the app is forgotten too. */
  forgets?: boolean;
}

/**
 * Ends the grants of one batch of the people who have allowed an app something, and queues what the app must hear of
 * it.
 *
 * @returns the number of grants, and the last consent of the batch; null if it was the last batch.
 */
export async function endGrantsOfConsents(
  trx: Transaction<Database>,
  { clientId, after, limit, forgets = false }: ConsentsOfApp,
  end: GrantEnd,
): Promise<{ ended: number; last: string | null }> {
  const rows = await trx.selectFrom("consents").select(["id", "user_id"]).where("client_id", "=", clientId)
    .where("id", ">", after).orderBy("id").limit(limit).execute();
  await trx.selectFrom("users").select("id").where(
    "id",
    "=",
    sql<string>`any(${rows.map((row) => row.user_id)}::text[])`,
  )
    .orderBy("id").forNoKeyUpdate().execute();
  const ended = await endGrantsWhere(trx, sql`consent_id = any(${rows.map(({ id }) => id)}::text[])`, end.now);
  if (forgets && rows.length > 0) {
    await trx.deleteFrom("consents").where("id", "=", sql<string>`any(${rows.map(({ id }) => id)}::text[])`).execute();
  }
  const used = ended.filter((grant) => grant.code_spent_at !== null);
  const events = [...new Set(used.map((grant) => grant.user_id))].map((userId) => appEnded(userId, clientId, end));
  await recordEvents(trx, events, end.now);
  return { ended: used.length, last: rows.length === limit ? rows.at(-1)!.id : null };
}

/** How many offline grants a person may have at an app. */
const OFFLINE_MAX = 100;

/**
 * Makes room for one more offline grant of a consent: ends the oldest ones, so that a person keeps at most that many at
 * an app. The app does not hear of it, because the sessions may go on. Codes that no one has exchanged do not count.
 * The caller holds the user's lock, and then adds the grant.
 *
 * @returns whether any ended.
 */
export async function endOldestOffline(
  trx: Transaction<Database>,
  { consentId, now }: { consentId: string; now: Date },
): Promise<boolean> {
  const oldest = sql`
    id in (
      select id from grants
      where consent_id = ${consentId} and is_offline and code_spent_at is not null and expires_at > ${now}
      order by id desc offset ${OFFLINE_MAX - 1}
    )
  `;
  const { rows } = await sql`${deleteGrants(oldest)} returning id`.execute(trx);
  return rows.length > 0;
}

/**
 * Ends one grant. Its app does not hear of it: it has caused the end. Returns the id of its app, or null if it has
 * ended already.
 */
export async function endGrant(db: Db, id: string): Promise<string | null> {
  const ended = await db.deleteFrom("grants").where("id", "=", id).returning("client_id").executeTakeFirst();
  return ended?.client_id ?? null;
}

/** Records that apps have lost their access to an account, one event for each app. */
export async function recordAppEnds(
  db: Db,
  { userId, clientIds }: { userId: string; clientIds: string[] },
  end: GrantEnd,
): Promise<void> {
  await recordEvents(db, [...new Set(clientIds)].map((app) => appEnded(userId, app, end)), end.now);
}

function appEnded(userId: string, app: string, { reason, words = reason, client, by, sessionId }: GrantEnd): NewEvent {
  return { kind: "app.ended", userId, client, sessionId, details: { app, reason: words }, ...by };
}
