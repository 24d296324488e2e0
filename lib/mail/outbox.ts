import { sql } from "kysely";
import { v7 } from "uuid";
import type { Db } from "../../db/schema.ts";
import type { Config } from "../config/config.ts";
import { resealEach, type Resealed } from "../crypto/reseal.ts";
import { seal, type SealedPlace, secretsOf } from "../crypto/sealed.ts";
import { MINUTE_SECONDS } from "../duration.ts";
import type { Mail, Services } from "../services/services.ts";
import { mailDeclaration, type MailKind, replacedMails } from "./kinds.ts";
import { recipientHash } from "./mail_limits.ts";

/** How far each pending email of a user moves the next one back in the queue. */
const TURN_SECONDS = MINUTE_SECONDS;
/** More pending emails of one user are not counted. */
const MAX_TURNS = 1_000;

/** An email to queue, and why. */
export interface MailToQueue {
  kind: MailKind;
  mail: Mail;
  /** Whose account it is about. Null if the user is deleted. */
  userId: string | null;
  /** When the link in the email expires. */
  expiresAt: Date;
  now: Date;
  config: Config;
}

/**
 * Adds an email to the queue. It replaces pending ones whose link or code it voids. Only `sendEmail` calls this
 * function, which also counts the email and wakes the worker.
 */
export async function queueMail(db: Db, { kind, mail, userId, expiresAt, now, config }: MailToQueue): Promise<void> {
  const replaced = replacedMails(kind);
  if (userId !== null && replaced.length > 0) await cancelMails(db, { kinds: replaced, userId });
  const id = v7({ msecs: now.getTime() });
  const payload = await seal(mail, payloadPlace(id, config));
  const isAwaited = !mailDeclaration(kind).isReport;
  // Due immediately, even if the clock of this instance is ahead of the database's clock.
  const due = sql<Date>`least(${now}, now())`;
  await db.insertInto("outbox").values({
    id,
    kind,
    user_id: userId,
    recipient_hash: recipientHash({ kind, to: mail.to, config }),
    payload,
    next_attempt_at: due,
    is_awaited: isAwaited,
    turn_at: sql<Date>`${due} + ${pendingMails(db, { userId, isAwaited })} * make_interval(secs => ${TURN_SECONDS})`,
    expires_at: expiresAt,
    created_at: now,
  }).execute();
}

/** Counts the pending emails ahead of a new one. A deleted user gets only one more. */
function pendingMails(db: Db, { userId, isAwaited }: { userId: string | null; isAwaited: boolean }) {
  const pending = db.selectFrom("outbox").select("id").where("user_id", "=", userId)
    .where("status", "=", "pending").where("is_awaited", "=", isAwaited).limit(MAX_TURNS);
  return db.selectFrom(pending.as("pending")).select(({ fn }) => fn.countAll().as("count"));
}

/** The place of an email's encrypted payload. The database must not know the token in the link. */
export function payloadPlace(id: string, config: Config): SealedPlace {
  return { purpose: "outbox", id, ...secretsOf(config) };
}

/** Seals pending emails again that a previous secret has sealed. */
export async function resealMails({ db, config }: Pick<Services, "db" | "config">): Promise<Resealed> {
  const rows = db.selectFrom("outbox").select(["id", "payload"]).where("status", "=", "pending");
  return await resealEach(await rows.execute(), {
    nameOf: ({ id }) => `email ${id}`,
    sealedOf: ({ payload }) => payload,
    placeOf: ({ id }) => payloadPlace(id, config),
    store: ({ id, payload }, resealed) =>
      db.updateTable("outbox").set({ payload: resealed }).where("id", "=", id).where("payload", "=", payload).execute(),
  });
}

/** Cancels pending emails, of these kinds and of this user if given. Call it when their links no longer work. */
export async function cancelMails(
  db: Db,
  { kinds, userId }: { kinds?: MailKind[]; userId?: string },
): Promise<void> {
  await db.updateTable("outbox").set({ status: "failed", payload: null }).where("status", "=", "pending")
    .$if(userId !== undefined, (query) => query.where("user_id", "=", userId!))
    .$if(kinds !== undefined, (query) => query.where("kind", "in", kinds!)).execute();
}
