import type { Selectable } from "kysely";
import { v7 } from "uuid";
import { wakeAfterCommit } from "../../db/after_commit.ts";
import type { Db } from "../../db/schema.ts";
import type { MailStatus } from "../mail/tables.ts";
import type { DeliveryFailure, WebhookDeliveriesTable } from "./tables.ts";
import { AppError } from "../errors/errors.ts";
import { eventDeclaration, TEST_KIND, type WebhookKind } from "../activity/kinds.ts";
import type { Services } from "../services/services.ts";
import { getWebhook, lockWebhook, recordChange, type WebhookAct } from "./webhook.ts";
import { endRest } from "./webhook_health.ts";

/** What admins call the states of a delivery. */
export type DeliveryStatus = "waiting" | "sent" | "failed";

const STATUS: Record<MailStatus, DeliveryStatus> = { pending: "waiting", sent: "sent", failed: "failed" };

const COLUMNS = [
  "id",
  "event_id",
  "kind",
  "user_id",
  "status",
  "attempts",
  "happened_at",
  "ended_at",
  "next_attempt_at",
  "failure",
  "response_status",
] as const;
type DeliveryRow = Pick<Selectable<WebhookDeliveriesTable>, typeof COLUMNS[number]>;

/** A delivery as admins see it. */
export interface ListedDelivery {
  id: string;
  /** The `webhook-id` of every attempt. */
  eventId: string;
  kind: WebhookKind;
  status: DeliveryStatus;
  attempts: number;
  happenedAt: Date;
  /** When it was delivered or abandoned; null while it waits. */
  endedAt: Date | null;
  /** When it is sent again; null unless it waits. */
  nextAttemptAt: Date | null;
  /** Why the last attempt failed, and the status of its response. */
  failure: DeliveryFailure | null;
  responseStatus: number | null;
  /** Whether the account was deleted, and with it what the event said. Such a delivery cannot be replayed. */
  isEmptied: boolean;
}

/** Which deliveries to list. `after` is the id of the last delivery of the previous page. */
export interface DeliveryQuery {
  webhookId: string;
  limit: number;
  after?: string;
}

/** A page of deliveries. `next` is the `after` of the next one, or null. */
export interface DeliveryPage {
  deliveries: ListedDelivery[];
  next: string | null;
}

/**
 * Lists the deliveries of a webhook, newest first.
 *
 * @throws {AppError} NOT_FOUND.
 */
export async function listDeliveries(db: Db, { webhookId, limit, after }: DeliveryQuery): Promise<DeliveryPage> {
  await getWebhook(db, webhookId);
  const rows = await db.selectFrom("webhook_deliveries")
    .select(COLUMNS)
    .where("webhook_id", "=", webhookId)
    .$if(after !== undefined, (query) => query.where("id", "<", after!))
    .orderBy("id", "desc").limit(limit + 1).execute();
  const deliveries = rows.slice(0, limit).map(toListed);
  return { deliveries, next: rows.length > limit ? deliveries.at(-1)!.id : null };
}

function toListed(row: DeliveryRow): ListedDelivery {
  return {
    id: row.id,
    eventId: row.event_id,
    kind: row.kind,
    status: STATUS[row.status],
    attempts: row.attempts,
    happenedAt: row.happened_at,
    endedAt: row.ended_at,
    nextAttemptAt: row.status === "pending" ? row.next_attempt_at : null,
    failure: row.failure,
    responseStatus: row.response_status,
    isEmptied: isEmptied(row),
  };
}

function isEmptied({ kind, user_id }: Pick<DeliveryRow, "kind" | "user_id">): boolean {
  return user_id === null && kind !== TEST_KIND && eventDeclaration(kind).isGeneral !== true;
}

/**
 * Sends an event once more, under the same id. One that waits becomes due now. One that is being sent at this moment is
 * left alone.
 *
 * @throws {AppError} NOT_FOUND, also once the account is deleted and the delivery says nothing any longer.
 */
export async function replayDelivery(
  services: Services,
  { delivery, ...act }: WebhookAct & { delivery: string },
): Promise<void> {
  const { db, databaseTime } = services;
  await db.transaction().execute(async (trx) => {
    await lockWebhook(trx, act);
    const row = await trx.selectFrom("webhook_deliveries").select(["kind", "user_id"]).where("id", "=", delivery)
      .where("webhook_id", "=", act.id).executeTakeFirst();
    if (row === undefined || isEmptied(row)) throw new AppError("NOT_FOUND", { reason: "delivery" });
    await trx.updateTable("webhook_deliveries")
      .set({
        status: "pending",
        attempts: 0,
        next_attempt_at: databaseTime(),
        queued_at: databaseTime(),
        ended_at: null,
      })
      .where("id", "=", delivery)
      .where((row) =>
        row.or([
          row("status", "<>", "pending"),
          row("is_sending", "=", false),
          row("next_attempt_at", "<=", databaseTime()),
        ])
      )
      .execute();
    await endRest(trx, act.id);
    await recordChange(trx, services, { ...act, change: "replayed" });
    wakeAfterCommit(trx, services.webhookSignal);
  });
}

/**
 * Sends a test to a webhook, whichever kinds it gets.
 *
 * @throws {AppError} NOT_FOUND.
 */
export async function sendTest(services: Services, act: WebhookAct): Promise<void> {
  const { db, databaseTime } = services;
  const now = services.now();
  await db.transaction().execute(async (trx) => {
    await lockWebhook(trx, act);
    await trx.insertInto("webhook_deliveries").values({
      id: v7({ msecs: now.getTime() }),
      webhook_id: act.id,
      event_id: v7({ msecs: now.getTime() }),
      kind: TEST_KIND,
      user_id: null,
      actor_id: act.by.actorId ?? null,
      details: "{}",
      happened_at: now,
      next_attempt_at: databaseTime(),
      queued_at: databaseTime(),
    }).execute();
    await endRest(trx, act.id);
    await recordChange(trx, services, { ...act, change: "tested" });
    wakeAfterCommit(trx, services.webhookSignal);
  });
}
