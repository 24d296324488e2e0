import { sql } from "kysely";
import type { ActorName, EventDetails } from "../activity/tables.ts";
import type { DeliveryFailure } from "./tables.ts";
import { DAY_SECONDS, unixSeconds } from "../duration.ts";
import { createDispatcher, type DeliveryQueue, type Dispatcher, type LeasedItem } from "../queue/dispatcher.ts";
import { LEASE_SECONDS } from "../queue/lease.ts";
import type { WebhookKind } from "../activity/kinds.ts";
import type { Services, WebhookMessage } from "../services/services.ts";
import { recordFailure, recordSuccess } from "./webhook_health.ts";
import { WebhookError } from "./webhook_error.ts";
import { openSecrets, signWith } from "./webhook_secret.ts";

/** How many deliveries to one webhook may run in this process. A slow receiver holds up only its own. */
const MAX_FOR_ONE = 5;
/** How many webhooks there may be. */
export const MAX_WEBHOOKS = 20;
/** The delivery of an event that still fails at this age is abandoned. */
const ABANDON_AFTER_SECONDS = 3 * DAY_SECONDS;

/** A delivery that is leased to this process. */
interface LeasedDelivery extends LeasedItem {
  webhookId: string;
  url: string;
  eventId: string;
  kind: WebhookKind;
  userId: string | null;
  actorId: string | null;
  /** Who caused it, if it was no user. */
  actor: ActorName | null;
  details: EventDetails;
  happenedAt: Date;
  /** The status of the receiver that has accepted it. */
  responseStatus?: number;
}

/** Creates the dispatcher of webhooks in this process. */
export function createWebhookDispatcher(services: Services, options: { renewalMs?: number } = {}): Dispatcher {
  // A delivery that ends makes room for another one to the same webhook.
  const onEnd = () => services.webhookSignal.wake();
  return createDispatcher(services, webhookQueue(services), { ...options, onEnd });
}

function webhookQueue(services: Services): DeliveryQueue<LeasedDelivery> {
  return {
    name: "webhook",
    maxRunning: MAX_WEBHOOKS * MAX_FOR_ONE,
    abandonAfterSeconds: ABANDON_AFTER_SECONDS,
    fieldsOf: ({ id, webhookId, eventId, kind, attempts }) => ({
      deliveryId: id,
      webhookId,
      eventId,
      kind,
      attempts,
    }),
    lease: (running) => leaseDueDeliveries(services, running),
    deliver: (delivery) => deliver(services, delivery),
    postpone: (delivery, seconds, error) => postpone(services, delivery, { seconds, error }),
    finish: (delivery, error) => finish(services, delivery, error),
  };
}

/** Takes a few deliveries of each webhook, the ones that have been due for longest. */
async function leaseDueDeliveries(
  { db, databaseTime }: Services,
  running: ReadonlySet<LeasedDelivery>,
): Promise<LeasedDelivery[]> {
  const runningByWebhook: Record<string, number> = {};
  for (const { webhookId } of running) runningByWebhook[webhookId] = (runningByWebhook[webhookId] ?? 0) + 1;
  const counts = JSON.stringify(runningByWebhook);
  const { rows } = await sql<LeasedDelivery>`
    with due as (
      select delivery.id from webhooks cross join lateral (
        select id from webhook_deliveries
        where webhook_id = webhooks.id and status = 'pending' and next_attempt_at <= ${databaseTime()}
        order by next_attempt_at limit greatest(0, ${MAX_FOR_ONE} - coalesce((${counts}::jsonb ->> webhooks.id)::int, 0))
        for update skip locked
      ) as delivery
      where disabled_at is null and deleted_at is null and (rests_until is null or rests_until <= ${databaseTime()})
    )
    update webhook_deliveries as delivery
    set next_attempt_at = ${databaseTime(LEASE_SECONDS)}, is_sending = true, attempts = attempts + 1
    from webhooks where delivery.id in (select id from due) and webhooks.id = delivery.webhook_id
    returning delivery.id, attempts, queued_at as "queuedAt", webhook_id as "webhookId", url, event_id as "eventId", kind,
      user_id as "userId", actor_id as "actorId", details, happened_at as "happenedAt",
      (select actor from events where events.id = event_id) as actor
  `.execute(db);
  return rows;
}

async function deliver(services: Services, delivery: LeasedDelivery): Promise<void> {
  const secrets = await openSecrets(services, delivery.webhookId).catch((cause) => {
    throw new WebhookError("secret", { cause });
  });
  delivery.responseStatus = await services.webhooks.post(
    delivery.url,
    await messageOf(delivery, secrets, services.now()),
  );
}

/** Every attempt has the same id and body. Source: Standard Webhooks, "Payload structure" and "Webhook headers". */
async function messageOf(
  { eventId: id, kind, userId, actorId, actor, details, happenedAt }: LeasedDelivery,
  secrets: string[],
  now: Date,
): Promise<WebhookMessage> {
  const data = { userId, actorId, actor, details };
  const body = JSON.stringify({ type: kind, timestamp: happenedAt.toISOString(), data });
  const timestamp = unixSeconds(now);
  const headers = {
    "content-type": "application/json",
    "user-agent": "Foyer",
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": await signWith(secrets, { id, timestamp, body }),
  };
  return { headers, body };
}

/** Why an attempt failed. Anything that no code expects counts as a broken connection; the log has its cause. */
function failureOf(error: unknown): { failure: DeliveryFailure; response_status: number | null } {
  if (!(error instanceof WebhookError)) return { failure: "connection", response_status: null };
  return { failure: error.failure, response_status: error.status ?? null };
}

/** Without an error, the attempt is still running. */
async function postpone(
  services: Services,
  { id, webhookId }: LeasedDelivery,
  { seconds, error }: { seconds: number; error?: unknown },
): Promise<void> {
  const { db, databaseTime } = services;
  await db.updateTable("webhook_deliveries")
    .set({
      next_attempt_at: databaseTime(seconds),
      is_sending: error === undefined,
      ...error === undefined ? {} : failureOf(error),
    })
    .where("id", "=", id).where("status", "=", "pending").execute();
  if (error !== undefined) await recordFailure(services, webhookId, error);
}

async function finish(services: Services, delivery: LeasedDelivery, error?: unknown): Promise<void> {
  const { id, webhookId, userId, responseStatus = null } = delivery;
  const { db, databaseTime } = services;
  const ended = {
    ended_at: databaseTime(),
    is_sending: false,
    ...error === undefined
      ? { status: "sent" as const, failure: null, response_status: responseStatus }
      : { status: "failed" as const, ...failureOf(error) },
  };
  await db.transaction().execute(async (trx) => {
    // Waits for a deletion in progress, which empties only what has ended.
    const owner = userId === null
      ? undefined
      : await trx.selectFrom("users").select("id").where("id", "=", userId).forKeyShare().executeTakeFirst();
    await trx.updateTable("webhook_deliveries").set(ended).where("id", "=", id).execute();
    if (userId !== null && owner === undefined) {
      await trx.updateTable("webhook_deliveries").set({ user_id: null, actor_id: null, details: "{}" })
        .where("id", "=", id).where("kind", "<>", "user.deleted").execute();
    }
  });
  if (error === undefined) await recordSuccess(services, webhookId);
  else await recordFailure(services, webhookId, error);
}
