import { sql } from "kysely";
import { type Placeholders, prepare } from "../../db/prepared_query.ts";
import type { Db } from "../../db/schema.ts";
import type { LastProof, SecondProof, SessionProof, SignInMethod } from "./tables.ts";
import type { Client } from "../activity/client.ts";
import { type Actor, type NewEvent, recordEvents } from "../activity/events.ts";
import type { Config } from "../config/config.ts";
import { createToken, hashToken } from "../crypto/token.ts";
import { MINUTE_SECONDS, secondsAfter } from "../duration.ts";
import { AppError } from "../errors/errors.ts";
import type { EndReason } from "../activity/kinds.ts";
import type { Services } from "../services/services.ts";
import { endGrantsOfSessions, endGrantsOfUser } from "../grants/grant_end.ts";
import { extendSecondFactorTime, recordSeen } from "../users/user_changes.ts";
import { type User, USER_COLUMNS, userOfRow } from "../users/user_row.ts";
import { findMissingFactor, isSessionWaiting } from "./second_factor_duty.ts";
import { endSecondSteps } from "./second_step.ts";

/** How often a session records that it is in use. */
const SEEN_INTERVAL_SECONDS = 5 * MINUTE_SECONDS;

/** What the browser keeps of a new, extended or renewed session. */
export interface SessionCredential {
  token: string;
  expiresAt: Date;
  /** Identify the browser. Present when the session was opened. */
  deviceTokens?: string[];
  /** How the person signed in. Present when the session was opened. */
  method?: SignInMethod;
  /** Whether they must set up a second factor, now or later. Present when the session was opened. */
  lacksSecondFactor?: boolean;
}

/** A valid session and its user. */
export interface ActiveSession {
  /** The public id. */
  id: string;
  /** Identifies the current token: a session can get a new one. */
  tokenHash: string;
  method: SignInMethod;
  startedAt: Date;
  lastSeenAt: Date;
  /** When the person last proved who they are. */
  authenticatedAt: Date;
  /** The second proof that the person has given in this session; null if there was none. */
  secondFactor: SecondProof | null;
  /** The last proof; null if it was the one that opened the session. */
  lastProof: LastProof | null;
  /** Whether it can do nothing until its person has set up a second factor, which SECOND_FACTOR demands. */
  isWaiting: boolean;
  user: User;
  /** Present when the response must set the session's cookie again. */
  extended?: SessionCredential;
}

/** A session that has got a new token. The response must set its cookie. */
export interface RenewedSession extends ActiveSession {
  extended: SessionCredential;
}

/** The valid sessions whose tokens a request presents. */
export interface PresentedSessions {
  /**
   * The session of the request, or null. If it presents several sessions of one user, this is the newest. If they
   * belong to different users, the request has none: a sibling site may have set one of the cookies, and what the
   * person enters would go to that account.
   */
  current: ActiveSession | null;
  /** The public ids of all valid sessions. Logging in or out ends all of them. */
  ids: string[];
}

const selectSessions = prepare((db, { tokenHashes, now }: Placeholders<{ tokenHashes: string[]; now: Date }>) =>
  db.selectFrom("sessions").innerJoin("users", "users.id", "sessions.user_id")
    .select(USER_COLUMNS.map((column) => `users.${column}` as const))
    .select(["sessions.id as token_hash", "sessions.created_at as session_created_at", "sessions.expires_at"])
    .select(["sessions.public_id", "sessions.method", "sessions.last_seen_at", "sessions.authenticated_at"])
    .select(["sessions.second_factor", "sessions.last_proof"])
    .where("sessions.id", "=", sql<string>`any(${tokenHashes})`)
    .where("sessions.expires_at", ">", now)
    .where("users.suspended_at", "is", null)
    .orderBy("sessions.created_at", "desc").orderBy("sessions.id")
);

/**
 * Finds the valid sessions of the tokens and their users. One query looks up all tokens, and its text does not depend
 * on their number, so that the database caches one plan. A current session past half its lifetime is extended to the
 * full lifetime, but never beyond SESSION_MAX_SECONDS after its start.
 */
export async function findPresentedSessions(services: Services, tokens: string[]): Promise<PresentedSessions> {
  if (tokens.length === 0) return { current: null, ids: [] };
  const tokenOf = new Map(tokens.map((token) => [hashToken(token), token]));
  const now = services.now(); // the same for the extension: a session that has ended meanwhile must not come back
  const rows = await selectSessions(services.db, { tokenHashes: [...tokenOf.keys()], now });
  const ids = rows.map((row) => row.public_id);
  if (new Set(rows.map((row) => row.id)).size !== 1) return { current: null, ids };
  const [row] = rows;
  const { token_hash: tokenHash, session_created_at: startedAt, expires_at: expiresAt } = row;
  const held = { tokenHash, token: tokenOf.get(tokenHash)!, startedAt, expiresAt };
  const extended = await extendSession(services, held, now);
  const { public_id: id, method, last_seen_at: lastSeenAt, authenticated_at: authenticatedAt } = row;
  const { second_factor: secondFactor, last_proof: lastProof } = row;
  const facts = { id, tokenHash, method, startedAt, lastSeenAt, authenticatedAt, secondFactor, lastProof };
  const user = userOfRow(row, services);
  return { current: { ...facts, isWaiting: await isSessionWaiting(services, user), user, extended }, ids };
}

/** Returns undefined when the session is not due for extension or a concurrent request has extended it. */
async function extendSession(
  { db, config }: Pick<Services, "db" | "config">,
  { tokenHash, token, startedAt, expiresAt }: { tokenHash: string; token: string; startedAt: Date; expiresAt: Date },
  now: Date,
): Promise<SessionCredential | undefined> {
  const end = extendedEnd({ startedAt, expiresAt, now, config });
  if (end === null) return undefined;
  const { numUpdatedRows } = await db.updateTable("sessions").set({ expires_at: end })
    .where("id", "=", tokenHash).where("expires_at", "<", end).executeTakeFirst();
  return numUpdatedRows === 0n ? undefined : { token, expiresAt: end };
}

/**
 * Gives a session a new token, because the person has just proved who they are.
 *
 * @param options.proof what they have proved it with.
 * @param options.secondFactor the proof, if it is a second one beside that which opened the session.
 * @throws {AppError} UNAUTHENTICATED when it has ended or a concurrent request has given it a new token.
 */
export async function renewToken(
  db: Db,
  session: ActiveSession,
  { now, proof, secondFactor = session.secondFactor }: {
    now: Date;
    proof: SessionProof;
    secondFactor?: SecondProof | null;
  },
): Promise<RenewedSession> {
  const token = createToken();
  const tokenHash = hashToken(token);
  const row = await db.updateTable("sessions")
    .set({ id: tokenHash, authenticated_at: now, second_factor: secondFactor, last_proof: proof })
    .where("id", "=", session.tokenHash).returning("expires_at").executeTakeFirst();
  if (row === undefined) throw new AppError("UNAUTHENTICATED", { reason: "session" });
  const extended = { token, expiresAt: row.expires_at };
  return { ...session, tokenHash, authenticatedAt: now, secondFactor, lastProof: proof, extended };
}

/**
 * Returns when the session of a token expires or has expired; null if there is none. Expired ones are deleted later.
 */
export async function findSessionEnd(db: Db, token: string): Promise<Date | null> {
  const row = await db.selectFrom("sessions").select("expires_at").where("id", "=", hashToken(token))
    .executeTakeFirst();
  return row?.expires_at ?? null;
}

/** Whether the session with this public id has not ended. */
export async function isOpen(db: Db, sessionId: string, now: Date): Promise<boolean> {
  const row = await db.selectFrom("sessions").select("public_id")
    .where("public_id", "=", sessionId).where("expires_at", ">", now).executeTakeFirst();
  return row !== undefined;
}

/** Whether the user has a session, expired or not: any, or the one with this public id. */
export async function hasSession(db: Db, userId: string, publicId?: string): Promise<boolean> {
  const row = await db.selectFrom("sessions").select("id").where("user_id", "=", userId)
    .$if(publicId !== undefined, (query) => query.where("public_id", "=", publicId!)).limit(1).executeTakeFirst();
  return row !== undefined;
}

/** Whether a session is due to record that it is in use. */
export function isSeenDue({ lastSeenAt }: ActiveSession, now: Date): boolean {
  return secondsAfter(lastSeenAt, SEEN_INTERVAL_SECONDS) <= now;
}

/** Records that a session is in use, and its person too, who may have ended it meanwhile. */
export async function markSeen(
  { db, now }: Pick<Services, "db" | "now">,
  { id, user }: Pick<ActiveSession, "id" | "user">,
): Promise<void> {
  await recordSeen(db, { id: user.id, now: now() });
  await db.updateTable("sessions").set({ last_seen_at: now() })
    .where("public_id", "=", id).where("last_seen_at", "<=", secondsAfter(now(), -SEEN_INTERVAL_SECONDS))
    .execute();
}

/** Why sessions end, and the client that ends them. */
export interface SessionEnd {
  reason: EndReason;
  /** The words of an operator, which replace the reason. */
  words?: string;
  /** Null if no request ends them. */
  client: Client | null;
  /** Who ends them, if it is not their owner. */
  by?: Actor;
  now: Date;
}

/** Ends the sessions with these public ids, and records it. Sessions that have already ended are ignored. */
export async function endSessions(db: Db, ids: string[], end: SessionEnd): Promise<void> {
  if (ids.length === 0) return;
  const ended = await db.deleteFrom("sessions").where("public_id", "=", sql<string>`any(${ids})`)
    .returning(["public_id", "user_id"]).execute();
  await endGrantsOfSessions(db, ended.map((session) => session.public_id), end.now);
  await recordEnds(db, ended, end);
}

/** Ends the sessions with these public ids, because the person who holds them logs out. */
export async function logOut({ db, now }: Pick<Services, "db" | "now">, ids: string[], client: Client): Promise<void> {
  if (ids.length === 0) return;
  await db.transaction().execute((trx) => endSessions(trx, ids, { reason: "logout", client, now: now() }));
}

/**
 * Ends all sessions of the user, except the one with the public id `exceptId`, and records it. Sign-ins that wait for
 * the second factor end too. Returns the number of sessions.
 *
 * @param options.apps whether offline grants of apps end too, whatever the reason says.
 */
export async function endSessionsOfUser(
  db: Db,
  { userId, exceptId, apps }: { userId: string; exceptId?: string; apps?: boolean },
  end: SessionEnd,
): Promise<number> {
  await endSecondSteps(db, userId);
  const ended = await db.deleteFrom("sessions").where("user_id", "=", userId)
    .$if(exceptId !== undefined, (query) => query.where("public_id", "!=", exceptId!))
    .returning(["public_id", "user_id"]).execute();
  await endGrantsOfUser(db, { userId, endedIds: ended.map((session) => session.public_id), offline: apps }, end);
  await recordEnds(db, ended, end);
  return ended.length;
}

/**
 * Ends the other sessions of someone who is about to get the first second factor that is demanded of them. They began
 * without one, so someone with a stolen password may hold them. Time that an admin has given them ends too: it was for
 * this.
 */
export async function endSessionsWithoutFactor(
  trx: Db,
  services: Services,
  { user, session, client }: { user: User; session: ActiveSession; client: Client },
): Promise<void> {
  const missing = await findMissingFactor({ ...services, db: trx }, user);
  if (missing === null) return;
  if (missing.isExtended) await extendSecondFactorTime(trx, { id: user.id, until: null });
  const end: SessionEnd = { reason: "ended", client, now: services.now() };
  await endSessionsOfUser(trx, { userId: user.id, exceptId: session.id }, end);
}

async function recordEnds(
  db: Db,
  ended: { public_id: string; user_id: string }[],
  { reason, words = reason, client, by, now }: SessionEnd,
): Promise<void> {
  const events = ended.map(({ public_id: sessionId, user_id: userId }): NewEvent => ({
    kind: "session.ended",
    userId,
    client,
    sessionId,
    details: { reason: words },
    ...by,
  }));
  await recordEvents(db, events, now);
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
