import type { Db } from "../../db/schema.ts";
import type { Config } from "../config.ts";
import { secondsAfter } from "../duration.ts";
import type { Services } from "../services.ts";
import { createToken, hashToken } from "./token.ts";
import { type User, userOfRow } from "./user.ts";

/** A session that has just been opened or extended: what the cookie needs to know. */
export interface SessionCredential {
  token: string;
  expiresAt: Date;
}

/** The session of a request, with its user. */
export interface ActiveSession {
  id: string;
  user: User;
  /** Present when this look-up extended the session, so that the cookie has to be set anew. */
  extended?: SessionCredential;
}

/** Opens a session; only the hash of its token is stored. Source: spec, Session states. */
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
 * The session that the token opens, with its user, in one query; null when there is none or its time is over.
 * One past half its life is extended to its full length, but never beyond SESSION_MAX_SECONDS from its start.
 */
export async function findSession({ db, config, now }: Services, token: string): Promise<ActiveSession | null> {
  const id = hashToken(token);
  const row = await db.selectFrom("sessions").innerJoin("users", "users.id", "sessions.user_id")
    .selectAll("users").select(["sessions.created_at as session_created_at", "sessions.expires_at"])
    .where("sessions.id", "=", id).where("sessions.expires_at", ">", now())
    .executeTakeFirst();
  if (row === undefined) return null;
  const active = { id, user: userOfRow(row) };
  const expiresAt = extendedEnd({ startedAt: row.session_created_at, expiresAt: row.expires_at, now: now(), config });
  if (expiresAt === null) return active;
  const { numUpdatedRows } = await db.updateTable("sessions").set({ expires_at: expiresAt })
    .where("id", "=", id).where("expires_at", "<", expiresAt).executeTakeFirst();
  return numUpdatedRows === 0n ? active : { ...active, extended: { token, expiresAt } };
}

/** Ends one session; ending it twice is no error. */
export async function endSession(db: Db, id: string): Promise<void> {
  await db.deleteFrom("sessions").where("id", "=", id).execute();
}

/** Ends the user's sessions, but the one with `exceptId`. */
export async function endSessionsOfUser(db: Db, userId: string, exceptId?: string): Promise<void> {
  await db.deleteFrom("sessions").where("user_id", "=", userId)
    .$if(exceptId !== undefined, (query) => query.where("id", "!=", exceptId!)).execute();
}

/** The new end of a session past half its life, or null where it keeps the one it has. */
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
