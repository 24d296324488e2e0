import type { Transaction } from "kysely";
import type { Services } from "../services/services.ts";
import { endSecondSteps } from "./second_step.ts";
import type { Database } from "../../db/schema.ts";
import type { Actor } from "../activity/events.ts";
import { endTrust } from "../activity/trusted_device.ts";
import { endGrantsOfUser } from "../grants/grant_end.ts";
import { voidLinks } from "../mail/links/emailed_token.ts";
import { killAllLinks, killLinksOf } from "../uploads/private/links.ts";
import { endSessions, endSessionsOfUser, type SessionEnd } from "./session.ts";
import { endTokens } from "./api_token.ts";
import type { EndReason, TokenEndReason } from "../activity/kinds.ts";

/** A reason that ends both sessions and tokens. */
export type AccessEndReason = EndReason & TokenEndReason;

/**
 * Ends everything that acts for a user: all sessions, except the one with the public id `exceptId`, all API tokens, and
 * the grants of apps, also those of the session that stays open, all links to private files, and the trust in devices.
 * Voids the links that change the address, so that an intruder cannot take the account back with one.
 */
export async function endAccess(
  trx: Transaction<Database>,
  { userId, exceptId }: { userId: string; exceptId?: string },
  end: SessionEnd & { reason: AccessEndReason },
): Promise<void> {
  await endSessionsOfUser(trx, { userId, exceptId }, end);
  await endTokens(trx, { userId }, end);
  await killLinksOf(trx, userId);
  await endTrust(trx, userId);
  await voidLinks(trx, userId, "email_change_tokens");
}

/** How much one transaction ends. */
const BATCH_SESSIONS = 1000;

/**
 * Ends all sessions, API tokens, grants of apps and links to private files of everyone, also sign-ins that wait for the
 * second factor, and the trust in devices. Returns the numbers of sessions and tokens.
 */
export async function endAllAccess(
  { db, now }: Pick<Services, "db" | "now">,
  { reason, by }: { reason: AccessEndReason; by: Actor },
): Promise<{ sessions: number; tokens: number }> {
  const ended = { sessions: 0, tokens: 0 };
  const end = () => ({ reason, client: null, by, now: now() });
  await endSecondSteps(db);
  await endTrust(db);
  while (true) {
    const rows = await db.selectFrom("sessions").select("public_id").limit(BATCH_SESSIONS).execute();
    if (rows.length === 0) break;
    await db.transaction().execute((trx) => endSessions(trx, rows.map((row) => row.public_id), end()));
    ended.sessions += rows.length;
  }
  const users = await db.selectFrom("grants").select("user_id").distinct().execute();
  for (const { user_id: userId } of users) {
    await db.transaction().execute((trx) => endGrantsOfUser(trx, { userId, endedIds: [] }, end()));
  }
  const owners = await db.selectFrom("api_tokens").select("user_id").where("expires_at", ">", now()).distinct()
    .execute();
  for (const { user_id: userId } of owners) {
    ended.tokens += await db.transaction().execute((trx) => endTokens(trx, { userId }, end()));
  }
  await killAllLinks(db); // when no one is left who could make another one
  return ended;
}
