import { sql } from "kysely";
import { v7 } from "uuid";
import type { Db, MailKind } from "../../db/schema.ts";
import type { Config } from "../config/config.ts";
import { seal, type SealedPlace } from "../crypto/sealed.ts";
import { DAY_SECONDS, HOUR_SECONDS, secondsAfter } from "../duration.ts";
import type { Mail } from "../services.ts";

const HOURLY = { quota: 3, windowSeconds: HOUR_SECONDS };

/** The emails that an account may get only a number of times within a time. */
export const MAIL_LIMITS = {
  verification: HOURLY,
  reset: HOURLY,
  email_in_use: HOURLY,
  factor_reset: HOURLY,
  // Each code allows five guesses, so this also limits how many codes someone can guess in an hour.
  sign_in_code: { quota: 10, windowSeconds: HOUR_SECONDS },
  new_device: { quota: 5, windowSeconds: DAY_SECONDS },
};

/** An email to queue, and why. */
export interface MailToQueue {
  kind: MailKind;
  /** Null if the user is deleted. */
  userId: string | null;
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
  { kind, userId, now }: { kind: keyof typeof MAIL_LIMITS; userId: string; now: Date },
): Promise<boolean> {
  const { quota, windowSeconds } = MAIL_LIMITS[kind];
  const recent = await db.selectFrom("outbox").select("id").where("user_id", "=", userId).where("kind", "=", kind)
    .where("created_at", ">", secondsAfter(now, -windowSeconds)).limit(quota).execute();
  return recent.length < quota;
}

/** Cancels the user's pending emails of these kinds, or all of them. Call it when their links no longer work. */
export async function cancelMails(
  db: Db,
  { kinds, userId }: { kinds?: MailKind[]; userId: string },
): Promise<void> {
  await db.updateTable("outbox").set({ status: "failed", payload: null })
    .where("user_id", "=", userId).where("status", "=", "pending")
    .$if(kinds !== undefined, (query) => query.where("kind", "in", kinds!)).execute();
}
