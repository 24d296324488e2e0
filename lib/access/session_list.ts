import type { SignInMethod } from "./tables.ts";
import { deviceName } from "../activity/device_name.ts";
import { unixSeconds } from "../duration.ts";
import { AppError } from "../errors/errors.ts";
import { SessionId } from "../sign_in/schema.ts";
import type { SessionView } from "../accounts/schema.ts";
import type { Services } from "../services/services.ts";
import type { Language } from "../texts/texts.ts";
import type { Principal } from "./principal.ts";
import { endSessions, endSessionsOfUser } from "./session.ts";
import { lockUser } from "../users/user_lock.ts";

/** A session as its owner sees it. */
export interface ListedSession {
  /** The public id. */
  id: string;
  isCurrent: boolean;
  method: SignInMethod;
  userAgent: string | null;
  clientAddress: string | null;
  createdAt: Date;
  lastSeenAt: Date;
  expiresAt: Date;
}

/** Lists the valid sessions of the principal, the most recently seen first. */
export async function listSessions(services: Services, { user, session }: Principal): Promise<ListedSession[]> {
  return await listSessionsOf(services, { userId: user.id, currentId: session.id });
}

/** Lists the valid sessions of a user, the most recently seen first. One of them may be that of the request. */
export async function listSessionsOf(
  { db, now }: Pick<Services, "db" | "now">,
  { userId, currentId }: { userId: string; currentId?: string },
): Promise<ListedSession[]> {
  const rows = await db.selectFrom("sessions")
    .select(["public_id", "method", "user_agent", "client_address", "created_at", "last_seen_at", "expires_at"])
    .where("user_id", "=", userId).where("expires_at", ">", now())
    .orderBy("last_seen_at", "desc").orderBy("public_id", "desc").execute();
  return rows.map((row) => ({
    id: row.public_id,
    isCurrent: row.public_id === currentId,
    method: row.method,
    userAgent: row.user_agent,
    clientAddress: row.client_address,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
    expiresAt: row.expires_at,
  }));
}

/** The fields of a session in GET /api/account/sessions. */
export function sessionView(
  { id, isCurrent, method, userAgent, clientAddress, createdAt, lastSeenAt, expiresAt }: ListedSession,
  language: Language,
): SessionView {
  return {
    id,
    current: isCurrent,
    method,
    device: deviceName(userAgent, language),
    clientAddress,
    createdAt: unixSeconds(createdAt),
    lastSeenAt: unixSeconds(lastSeenAt),
    expiresAt: unixSeconds(expiresAt),
  };
}

/**
 * Ends one of the principal's sessions.
 *
 * @throws {AppError} NOT_FOUND for an unknown session or another user's.
 */
export async function endOwnSession({ db, now }: Services, { user, client }: Principal, id: string): Promise<void> {
  if (!SessionId.safeParse(id).success) throw sessionNotFound();
  await db.transaction().execute(async (trx) => {
    await lockUser(trx, user.id);
    const found = await trx.selectFrom("sessions").select("public_id")
      .where("public_id", "=", id).where("user_id", "=", user.id).where("expires_at", ">", now()).executeTakeFirst();
    if (found === undefined) throw sessionNotFound();
    await endSessions(trx, [id], { reason: "ended", client, now: now() });
  });
}

function sessionNotFound(): AppError {
  return new AppError("NOT_FOUND", { reason: "session" });
}

/**
 * Ends all sessions of the principal but the current one, and sign-ins that wait for a code. Returns the number of
 * sessions.
 *
 * @param options.apps whether apps that stay connected without a session end too.
 */
export async function endOtherSessions(
  { db, now }: Services,
  { user, session, client }: Principal,
  { apps = false }: { apps?: boolean } = {},
): Promise<number> {
  return await db.transaction().execute(async (trx) => {
    await lockUser(trx, user.id);
    const end = { reason: "ended", client, now: now() } as const;
    return await endSessionsOfUser(trx, { userId: user.id, exceptId: session.id, apps }, end);
  });
}
