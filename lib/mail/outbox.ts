import { sql } from "kysely";
import { v7 } from "uuid";
import type { Db } from "../../db/schema.ts";
import type { Config } from "../config/config.ts";
import { resealEach, type Resealed } from "../crypto/reseal.ts";
import { seal, type SealedPlace, secretsOf } from "../crypto/sealed.ts";
import { MINUTE_SECONDS, secondsAfter } from "../duration.ts";
import type { Mail, Services } from "../services.ts";
import { mailDeclaration, type MailKind, replacedMails } from "./kinds.ts";

/** How far each pending email of a user moves the next one back in the queue. */
const TURN_SECONDS = MINUTE_SECONDS;
/** More pending emails of one user are not counted. */
const MAX_TURNS = 1_000;

/** An email to queue, and why. */
export interface MailToQueue {
  kind: MailKind;
  /** Null if the user is deleted. */
  userId: string | null;
  /** When the link in the email expires. */
  expiresAt: Date;
  now: Date;
  config: Config;
}

/**
 * Adds an email to the queue if the limit of its kind allows it. It replaces pending ones whose link or code it voids.
 * Only `sendEmail` calls this function, which also wakes the worker. The caller holds a lock that makes concurrent emails
 * to the account wait.
 *
 * @param write writes the email, and issues the link or the code in it.
 * @returns false if the account gets no more emails of this kind now. Then nothing happens.
 */
export async function queueMail(db: Db, queued: MailToQueue, write: () => Promise<Mail>): Promise<boolean> {
  const { kind, userId, now } = queued;
  if (userId !== null && !await mayQueueMail(db, { kind, userId, now })) return false;
  const mail = await write();
  const replaced = replacedMails(kind);
  if (userId !== null && replaced.length > 0) await cancelMails(db, { kinds: replaced, userId });
  await insertMail(db, queued, mail);
  return true;
}

async function insertMail(db: Db, { kind, userId, expiresAt, now, config }: MailToQueue, mail: Mail): Promise<void> {
  const id = v7({ msecs: now.getTime() });
  const payload = await seal(mail, payloadPlace(id, config));
  const isAwaited = !mailDeclaration(kind).isReport;
  // Due immediately, even if the clock of this instance is ahead of the database's clock.
  const due = sql<Date>`least(${now}, now())`;
  await db.insertInto("outbox").values({
    id,
    kind,
    user_id: userId,
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

/**
 * Whether the limit of this kind lets the account get another email. {@linkcode queueMail} begins with it. Call it alone
 * for an address without an account, so that the time reveals nothing.
 */
export async function mayQueueMail(
  db: Db,
  { kind, userId, now }: { kind: MailKind; userId: string; now: Date },
): Promise<boolean> {
  const { limit } = mailDeclaration(kind);
  if (limit === undefined) return true;
  const recent = await db.selectFrom("outbox").select("id").where("user_id", "=", userId).where("kind", "=", kind)
    .where("created_at", ">", secondsAfter(now, -limit.windowSeconds)).limit(limit.quota).execute();
  return recent.length < limit.quota;
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
