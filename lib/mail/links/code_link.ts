import type { Db } from "../../../db/schema.ts";
import { hashToken } from "../../crypto/token.ts";

/** A link beside a code, as a browser presents it. */
export interface PresentedCodeLink {
  token: string;
  /** The secret of a browser that has asked for a code; null in others. */
  requestToken: string | null;
  now: Date;
}

/** What the holder of a link beside a code may know about it. */
export interface CodeLink {
  userId: string;
  email: string;
  /** Whether this is the browser that asked for it. */
  isHere: boolean;
}

/** Finds the account of a link beside a code, or null if the link does not work. Nothing changes. */
export async function findCodeLink(
  db: Db,
  { token, requestToken, now }: PresentedCodeLink,
): Promise<CodeLink | null> {
  const row = await db.selectFrom("emailed_codes").innerJoin("users", "users.id", "user_id")
    .select(["user_id", "email", "request_hash"])
    .where("link_hash", "=", hashToken(token)).where("expires_at", ">", now).executeTakeFirst();
  if (row === undefined) return null;
  const isHere = requestToken !== null && row.request_hash === hashToken(requestToken);
  return { userId: row.user_id, email: row.email, isHere };
}

/**
 * Spends a link in the browser that asked for it, and the code beside it. Of several concurrent attempts, exactly one
 * succeeds: the deletion decides.
 *
 * @returns the page to go to, or null if the link does not work here.
 */
export async function spendCodeLink(
  db: Db,
  { token, requestToken, now }: PresentedCodeLink,
): Promise<{ next: string | null } | null> {
  if (requestToken === null) return null;
  const row = await db.deleteFrom("emailed_codes")
    .where("link_hash", "=", hashToken(token)).where("request_hash", "=", hashToken(requestToken))
    .where("expires_at", ">", now).returning("link_next").executeTakeFirst();
  return row === undefined ? null : { next: row.link_next };
}
