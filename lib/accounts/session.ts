import { sql } from "kysely";
import type { Db } from "../../db/schema.ts";
import type { Config } from "../config.ts";
import { secondsAfter } from "../duration.ts";
import type { Services } from "../services.ts";
import { createToken, hashToken } from "../crypto/token.ts";
import { type User, USER_COLUMNS, userOfRow } from "./user.ts";

/** The content of the cookie of a new or extended session. */
export interface SessionCredential {
  token: string;
  expiresAt: Date;
}

/** A valid session and its user. */
export interface ActiveSession {
  id: string;
  user: User;
  /** Present when this lookup extended the session, so that the response must set the cookie again. */
  extended?: SessionCredential;
}

/** The valid sessions whose tokens a request presents. */
export interface PresentedSessions {
  /**
   * The session of the request, or null. If it presents several sessions of one user, this is the newest. If they
   * belong to different users, the request has none: a sibling site may have set one of the cookies, and what the
   * person enters would go to that account.
   */
  current: ActiveSession | null;
  /** The ids of all valid sessions. Logging in or out ends all of them. */
  ids: string[];
}

/** Opens a session. Only the hash of its token is stored. Source: spec, Session states. */
export async function startSession(
  db: Db,
  { userId, now, config }: { userId: string; now: Date; config: Config },
): Promise<SessionCredential> {
  const token = createToken();
  const expiresAt = secondsAfter(now, Math.min(config.sessionTtlSeconds, config.sessionMaxSeconds));
  await db.insertInto("sessions")
    .values({ id: hashToken(token), user_id: userId, created_at: now, expires_at: expiresAt })
    .execute();
  return { token, expiresAt };
}

/**
 * Finds the valid sessions of the tokens and their users. One query looks up all tokens, and its text does not depend on
 * their number, so that the database caches one plan. A current session past half its lifetime is extended to the full
 * lifetime, but never beyond SESSION_MAX_SECONDS after its start.
 */
export async function findPresentedSessions(services: Services, tokens: string[]): Promise<PresentedSessions> {
  if (tokens.length === 0) return { current: null, ids: [] };
  const tokenOf = new Map(tokens.map((token) => [hashToken(token), token]));
  const rows = await services.db.selectFrom("sessions").innerJoin("users", "users.id", "sessions.user_id")
    .select(USER_COLUMNS.map((column) => `users.${column}` as const))
    .select(["sessions.id as session_id", "sessions.created_at as session_created_at", "sessions.expires_at"])
    .where("sessions.id", "=", sql<string>`any(${[...tokenOf.keys()]})`)
    .where("sessions.expires_at", ">", services.now())
    .orderBy("sessions.created_at", "desc").orderBy("sessions.id")
    .execute();
  const ids = rows.map((row) => row.session_id);
  if (new Set(rows.map((row) => row.id)).size !== 1) return { current: null, ids };
  const [{ session_id: id, session_created_at: startedAt, expires_at: expiresAt }] = rows;
  const extended = await extendSession(services, { id, token: tokenOf.get(id)!, startedAt, expiresAt });
  return { current: { id, user: userOfRow(rows[0]), extended }, ids };
}

/** Returns undefined when the session is not due for extension or a concurrent request has extended it. */
async function extendSession(
  { db, config, now }: Services,
  { id, token, startedAt, expiresAt }: { id: string; token: string; startedAt: Date; expiresAt: Date },
): Promise<SessionCredential | undefined> {
  const end = extendedEnd({ startedAt, expiresAt, now: now(), config });
  if (end === null) return undefined;
  const { numUpdatedRows } = await db.updateTable("sessions").set({ expires_at: end })
    .where("id", "=", id).where("expires_at", "<", end).executeTakeFirst();
  return numUpdatedRows === 0n ? undefined : { token, expiresAt: end };
}

/** Ends the sessions. Ids of sessions that have already ended are ignored. */
export async function endSessions(db: Db, ids: string[]): Promise<void> {
  if (ids.length > 0) await db.deleteFrom("sessions").where("id", "=", sql<string>`any(${ids})`).execute();
}

/** Ends all sessions of the user, except the one with `exceptId`. */
export async function endSessionsOfUser(db: Db, userId: string, exceptId?: string): Promise<void> {
  await db.deleteFrom("sessions").where("user_id", "=", userId)
    .$if(exceptId !== undefined, (query) => query.where("id", "!=", exceptId!)).execute();
}

/** Returns the new end of a session past half its lifetime, or null when the end stays the same. */
function extendedEnd({ startedAt, expiresAt, now, config }: {
  startedAt: Date;
  expiresAt: Date;
  now: Date;
  config: Config;
}): Date | null {
  if (secondsAfter(now, config.sessionTtlSeconds / 2) <= expiresAt) return null;
  const full = secondsAfter(now, config.sessionTtlSeconds);
  const last = secondsAfter(startedAt, config.sessionMaxSeconds);
  const end = full < last ? full : last;
  return end > expiresAt ? end : null;
}
