import { sql } from "kysely";
import { v7 } from "uuid";
import type { Db, MailKind } from "../../db/schema.ts";
import type { Config } from "../config.ts";
import { HOUR_SECONDS, secondsAfter } from "../duration.ts";
import type { Mail } from "../services.ts";
import { encryptMail } from "./payload_cipher.ts";

/** The number of mails of one kind that an account may be sent in an hour. */
const HOURLY_LIMIT = 3;

export interface MailToQueue {
  kind: MailKind;
  userId: string;
  mail: Mail;
  /** When the link in it expires. */
  expiresAt: Date;
  now: Date;
  config: Config;
}

/** Queues a mail. Call it in the transaction of the change that causes the mail, so that both happen or neither. */
export async function queueMail(db: Db, { kind, userId, mail, expiresAt, now, config }: MailToQueue): Promise<void> {
  const id = v7({ msecs: now.getTime() });
  const payload = await encryptMail(mail, { id, appSecret: config.appSecret });
  await db.insertInto("outbox").values({
    id,
    kind,
    user_id: userId,
    payload,
    // Due at once, even if the clock of this instance is ahead of the database's.
    next_attempt_at: sql<Date>`least(${now}, now())`,
    expires_at: expiresAt,
    created_at: now,
  }).execute();
}

/** Whether the account may be sent another mail of this kind. The caller must hold the lock on the user's row. */
export async function mayQueueMail(
  db: Db,
  { kind, userId, now }: { kind: MailKind; userId: string; now: Date },
): Promise<boolean> {
  const recent = await db.selectFrom("outbox").select("id").where("user_id", "=", userId).where("kind", "=", kind)
    .where("created_at", ">", secondsAfter(now, -HOUR_SECONDS)).limit(HOURLY_LIMIT).execute();
  return recent.length < HOURLY_LIMIT;
}

/** Cancels the mails that have not been sent yet, because their links are void. */
export async function cancelMails(
  db: Db,
  { kinds, userId }: { kinds: MailKind[]; userId: string },
): Promise<void> {
  await db.updateTable("outbox").set({ status: "failed", payload: null })
    .where("user_id", "=", userId).where("kind", "in", kinds).where("status", "=", "pending").execute();
}
