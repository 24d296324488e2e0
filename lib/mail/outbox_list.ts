import type { Transaction } from "kysely";
import { wakeAfterCommit } from "../../db/after_commit.ts";
import type { Database, Db } from "../../db/schema.ts";
import type { MailStatus } from "./tables.ts";
import { type Actor, recordEvent } from "../activity/events.ts";
import { AppError } from "../errors/errors.ts";
import type { ListedMailStatus } from "../schemas/states.ts";
import { Id } from "../schemas/list.ts";
import type { Services } from "../services/services.ts";
import { ALERT_KINDS, type MailKind } from "./kinds.ts";

const STORED: Record<ListedMailStatus, MailStatus> = { waiting: "pending", sent: "sent", failed: "failed" };

/** An email as operators see it, without its content. */
export interface ListedMail {
  id: string;
  kind: MailKind;
  status: ListedMailStatus;
  /** Null once the account is deleted. */
  user: { id: string; email: string } | null;
  createdAt: Date;
  /** Null unless it is sent, and for emails that version 0.2 has sent. */
  sentAt: Date | null;
  attempts: number;
  /** When it is sent again, or when the attempt in progress times out. Null unless it is waiting. */
  nextAttemptAt: Date | null;
  /** What the delivery service said about its last refusal. */
  answer: string | null;
}

/** Which emails to list. */
export interface MailQuery {
  userId?: string;
  status?: ListedMailStatus;
  limit: number;
  /** The id of the last email of the previous page. */
  cursor?: string;
}

/** Returns since when the oldest email that still waits is in the queue; null if none waits. */
export async function findOldestWaiting(db: Db): Promise<Date | null> {
  // The ids increase with the time, and an index has them by status.
  const oldest = await db.selectFrom("outbox").select("created_at").where("status", "=", STORED.waiting)
    .orderBy("id").limit(1).executeTakeFirst();
  return oldest?.created_at ?? null;
}

/** Counting ends here, so that it is fast however long the queue is. */
const MAX_COUNTED = 100_000;

/** Counts the emails that wait, up to 100,000. */
export async function countWaiting(db: Db): Promise<number> {
  const waiting = db.selectFrom("outbox").select("id").where("status", "=", STORED.waiting).limit(MAX_COUNTED);
  const { count } = await db.selectFrom(waiting.as("waiting")).select(({ fn }) => fn.countAll<string>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Lists queued and delivered emails, newest first. */
export async function listMails(db: Db, { userId, status, limit, cursor }: MailQuery): Promise<ListedMail[]> {
  const rows = await selectMails(db)
    .$if(userId !== undefined, (query) => query.where("outbox.user_id", "=", userId!))
    .$if(status !== undefined, (query) => query.where("outbox.status", "=", STORED[status!]))
    .$if(cursor !== undefined, (query) => query.where("outbox.id", "<", cursor!))
    .orderBy("outbox.id", "desc").limit(limit).execute();
  return rows.map(listedMail);
}

/** Among how many of the newest emails alerts are looked for. */
const NEWEST = 1_000;

/** Lists the alerts among the newest emails, newest first. */
export async function listAlerts(db: Db, { limit }: { limit: number }): Promise<ListedMail[]> {
  const newest = db.selectFrom("outbox").select("id").orderBy("id", "desc").limit(NEWEST);
  const rows = await selectMails(db).where("outbox.id", "in", newest).where("outbox.kind", "in", ALERT_KINDS)
    .orderBy("outbox.id", "desc").limit(limit).execute();
  return rows.map(listedMail);
}

/**
 * Finds one email.
 *
 * @throws {AppError} NOT_FOUND.
 */
export async function getMail(db: Db, id: string): Promise<ListedMail> {
  const row = await selectMails(db).where("outbox.id", "=", id).executeTakeFirst();
  if (row === undefined) throw new AppError("NOT_FOUND", { reason: "mail" });
  return listedMail(row);
}

function selectMails(db: Db) {
  return db.selectFrom("outbox").leftJoin("users", "users.id", "outbox.user_id")
    .select(["outbox.id", "outbox.kind", "outbox.status", "outbox.user_id", "users.email"])
    .select(["outbox.created_at", "outbox.sent_at", "outbox.attempts", "outbox.next_attempt_at", "outbox.answer"]);
}

type MailRow = Awaited<ReturnType<ReturnType<typeof selectMails>["execute"]>>[number];

function listedMail(row: MailRow): ListedMail {
  return {
    id: row.id,
    kind: row.kind,
    status: row.status === "pending" ? "waiting" : row.status,
    user: row.user_id === null || row.email === null ? null : { id: row.user_id, email: row.email },
    createdAt: row.created_at,
    sentAt: row.sent_at,
    attempts: row.attempts,
    nextAttemptAt: row.status === "pending" ? row.next_attempt_at : null,
    answer: row.answer,
  };
}

/**
 * Makes a waiting email due now. It keeps its idempotency key. One that is being sent at this moment is left alone.
 *
 * @throws {AppError} NOT_FOUND; EMAIL_GONE when it has been sent or has failed.
 */
export async function retryMail(
  services: Services,
  { id, by, reason }: { id: string; by: Actor; reason?: string },
): Promise<void> {
  await services.db.transaction().execute(async (trx) => {
    const mail = Id.safeParse(id).success ? await lockMail(trx, id) : undefined;
    if (mail === undefined) throw new AppError("NOT_FOUND", { reason: "mail" });
    if (mail.status !== "pending") throw new AppError("EMAIL_GONE");
    await trx.updateTable("outbox").set({ next_attempt_at: services.databaseTime() }).where("id", "=", id)
      .where((mail) =>
        mail.or([mail("is_sending", "=", false), mail("next_attempt_at", "<=", services.databaseTime())])
      )
      .execute();
    const details = { mail: mail.kind, ...reason === undefined ? {} : { reason } };
    await recordEvent(trx, { kind: "email.requested", userId: mail.user_id, ...by, details }, services.now());
    wakeAfterCommit(trx, services.outboxSignal);
  });
}

/** Locks the user before the email, as everywhere. */
async function lockMail(trx: Transaction<Database>, id: string) {
  const owner = await trx.selectFrom("outbox").select("user_id").where("id", "=", id).executeTakeFirst();
  if (owner !== undefined && owner.user_id !== null) {
    await trx.selectFrom("users").select("id").where("id", "=", owner.user_id).forNoKeyUpdate().execute();
  }
  return await trx.selectFrom("outbox").select(["status", "kind", "user_id"]).where("id", "=", id).forUpdate()
    .executeTakeFirst();
}
