import type { Db } from "../../db/schema.ts";
import type { Config } from "../config/config.ts";
import { hashToken } from "../crypto/token.ts";
import { DAY_SECONDS, secondsAfter } from "../duration.ts";
import { emailClient } from "../limits/counted_clients.ts";
import { countInWindow, forgetRequests } from "../limits/request_window.ts";
import { ALERT_KINDS, isAlert, mailDeclaration, type MailKind, type MailLimit } from "./kinds.ts";

// How many emails an address gets, whichever accounts cause them. Each quota has one counter:
// - the emails that strangers can cause: their rows in the outbox, so that an email counts exactly if it is queued;
// - the alerts of a day: a window, whose end the last one names;
// - the requests that anyone can make for an address: a window, because the response must not depend on the emails.

/**
 * How many alerts of one kind an address gets within a day. One more says that the rest of the day brings no others.
 */
const ALERTS_A_DAY = 5;

/** An email that is about to be sent. */
interface CountedMail {
  kind: MailKind;
  to: string;
  now: Date;
  config: Pick<Config, "limits">;
}

/** Whether an email may be sent. */
interface CountedResult {
  isAllowed: boolean;
  /** Set if it is the last one of its kind until then, and must say so. */
  silentUntil?: Date;
}

/**
 * Counts an email for its recipient. `sendEmail` begins with it. Call it alone for an address without an account, which
 * gets nothing, so that the time reveals nothing.
 */
export async function countMail(db: Db, mail: CountedMail): Promise<CountedResult> {
  // One that is not sent must not count as the last of the day.
  if (!await isBelowLimit(db, mail)) return { isAllowed: false };
  return isAlert(mail.kind) ? await countAlert(db, mail) : { isAllowed: true };
}

/** The row that `queueMail` adds, with what {@linkcode recipientHash} returns, is what counts here. */
async function isBelowLimit(db: Db, { kind, to, now, config }: CountedMail): Promise<boolean> {
  const limit = mailLimit(kind, config);
  if (limit === null) return true;
  const recent = await db.selectFrom("outbox").select("id").where("recipient_hash", "=", hashToken(to))
    .where("kind", "=", kind).where("created_at", ">", secondsAfter(now, -limit.windowSeconds)).limit(limit.quota)
    .execute();
  return recent.length < limit.quota;
}

/** Counts by address, not by user: otherwise alerts to a thief's address would silence those to the owner's. */
async function countAlert(db: Db, { kind, to, now }: CountedMail): Promise<CountedResult> {
  const counted = { policy: kind, clients: [emailClient(to)], windowSeconds: DAY_SECONDS, now };
  const [{ requests, window_ends_at: endsAt }] = await countInWindow(db, counted);
  return { isAllowed: requests <= ALERTS_A_DAY + 1, silentUntil: requests > ALERTS_A_DAY ? endsAt : undefined };
}

/** Lets an address get as many alerts as on a new day. Call it when its owner has secured the account. */
export async function forgetAlerts(db: Db, email: string): Promise<void> {
  await forgetRequests(db, [emailClient(email)], ALERT_KINDS);
}

/** Returns by what an email in the outbox counts for its recipient, or null if its kind has no limit. */
export function recipientHash({ kind, to, config }: Omit<CountedMail, "now">): string | null {
  return mailLimit(kind, config) === null ? null : hashToken(to);
}

/** Forgets how many emails a deleted account has got at its address. */
export async function forgetRecipient(db: Db, email: string): Promise<void> {
  await db.updateTable("outbox").set({ recipient_hash: null }).where("recipient_hash", "=", hashToken(email)).execute();
}

/**
 * Counts a request for an email, whether or not the address has an account. Registration has already sent the first
 * confirmation.
 *
 * @returns whether the address has used up its emails, as far as strangers may know.
 */
export async function countMailRequest(db: Db, { kind, to, now, config }: CountedMail): Promise<boolean> {
  const limit = mailLimit(kind, config);
  if (limit === null) return false;
  const { quota, windowSeconds } = limit;
  const [{ requests }] = await countInWindow(db, { policy: kind, clients: [emailClient(to)], windowSeconds, now });
  return requests + (kind === "verification" ? 1 : 0) > quota;
}

/** Returns how many emails of a kind a recipient may get. Without a limit, the sender decides. */
export function mailLimit(kind: MailKind, { limits }: Pick<Config, "limits">): MailLimit | null {
  const { causedBy, limit } = mailDeclaration(kind);
  return limit ?? (causedBy === "stranger" ? limits.mail_address : null);
}
