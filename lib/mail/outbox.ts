import { sql } from "kysely";
import { v7 } from "uuid";
import type { Db, MailKind } from "../../db/schema.ts";
import type { Config } from "../config.ts";
import { seal, type SealedPlace } from "../crypto/sealed.ts";
import { HOUR_SECONDS, secondsAfter } from "../duration.ts";
import type { Mail } from "../services.ts";

/** The number of emails of one kind that an account may get within an hour. */
const HOURLY_LIMIT = 3;

/** An email to queue, and why. */
export interface MailToQueue {
  kind: MailKind;
  userId: string;
  mail: Mail;
  /** When the link in the email expires. */
  expiresAt: Date;
  now: Date;
  config: Config;
}

/** Queues an email. Call it in the transaction of the change that causes the email, so that both happen or neither. */
export async function queueMail(db: Db, { kind, userId, mail, expiresAt, now, config }: MailToQueue): Promise<void> {
  const id = v7({ msecs: now.getTime() });
  const payload = await seal(mail, payloadPlace(id, config));
  await db.insertInto("outbox").values({
    id,
    kind,
    user_id: userId,
    payload,
    // Due immediately, even if the clock of this instance is ahead of the database's clock.
    next_attempt_at: sql<Date>`least(${now}, now())`,
    expires_at: expiresAt,
    created_at: now,
  }).execute();
}

/** The place of an email's encrypted payload. The database must not know the token in the link. */
export function payloadPlace(id: string, { appSecret }: Config): SealedPlace {
  return { purpose: "outbox", id, secret: appSecret };
}

/** Whether the account may get another email of this kind. The caller must hold the lock on the user's row. */
export async function mayQueueMail(
  db: Db,
  { kind, userId, now }: { kind: MailKind; userId: string; now: Date },
): Promise<boolean> {
  const recent = await db.selectFrom("outbox").select("id").where("user_id", "=", userId).where("kind", "=", kind)
    .where("created_at", ">", secondsAfter(now, -HOUR_SECONDS)).limit(HOURLY_LIMIT).execute();
  return recent.length < HOURLY_LIMIT;
}

/** Cancels the user's pending emails of these kinds. Call it when their links no longer work. */
export async function cancelMails(
  db: Db,
  { kinds, userId }: { kinds: MailKind[]; userId: string },
): Promise<void> {
  await db.updateTable("outbox").set({ status: "failed", payload: null })
    .where("user_id", "=", userId).where("kind", "in", kinds).where("status", "=", "pending").execute();
}
