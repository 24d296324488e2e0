import type { ColumnType, Generated, JSONColumnType } from "kysely";
import { DAY_SECONDS } from "../duration.ts";
import { type TableRules, TOKEN_KEPT_SECONDS } from "../schemas/table.ts";
import type { EventDetails } from "../activity/tables.ts";
import type { WebhookKind } from "../activity/kinds.ts";
import type { MailStatus } from "../mail/tables.ts";

/** Where events are sent. */
export interface WebhooksTable {
  id: string;
  /** The admin who added it; null once they are deleted. */
  created_by: string | null;
  /** Empty once it is deleted. */
  url: string;
  /** The kinds of events that it gets. */
  kinds: string[];
  /** How many attempts have failed since the last success. */
  failures: ColumnType<number, number | undefined>;
  /** When the first of them failed. */
  failing_since: ColumnType<Date | null, Date | null | undefined>;
  /** After a failure, nothing is sent until then. */
  rests_until: ColumnType<Date | null, Date | null | undefined>;
  disabled_at: ColumnType<Date | null, Date | null | undefined>;
  disabled_because: ColumnType<DisableReason | null, DisableReason | null | undefined>;
  /** The row is deleted after its deliveries. */
  deleted_at: ColumnType<Date | null, Date | null | undefined>;
  created_at: ColumnType<Date, Date, never>;
}

/** Why a webhook gets nothing more: its receiver said that it is gone, or did not accept anything for five days. */
export type DisableReason = "gone" | "failing";

/** The secrets that sign what a webhook gets. */
export interface WebhookSecretsTable {
  id: string;
  webhook_id: string;
  /** The encrypted secret. */
  secret: string;
  /** Until then it signs beside its successor; null for the current one. */
  expires_at: Date | null;
}

/** Events to send, and those that have been sent. A trigger of `events` adds them. */
export interface WebhookDeliveriesTable {
  id: string;
  webhook_id: string;
  /** The `webhook-id` of every attempt. */
  event_id: string;
  kind: WebhookKind;
  /** What the event was about, as it was recorded. Emptied after the user is deleted, except in `user.deleted`. */
  user_id: string | null;
  actor_id: string | null;
  details: JSONColumnType<EventDetails>;
  happened_at: Date;
  status: ColumnType<MailStatus, MailStatus | undefined>;
  attempts: ColumnType<number, number | undefined>;
  next_attempt_at: Date;
  /** Whether an instance is sending it, until `next_attempt_at`. */
  is_sending: Generated<boolean>;
  /** When it was queued, or last repeated by an admin. */
  queued_at: Date;
  /** When it was delivered or abandoned. */
  ended_at: ColumnType<Date | null, Date | null | undefined>;
  /** The status of the last response; null without one. */
  response_status: ColumnType<number | null, number | null | undefined>;
  /** Why the last attempt failed. */
  failure: ColumnType<DeliveryFailure | null, DeliveryFailure | null | undefined>;
}

/**
 * Why an attempt failed: the name of the host, its address, the connection, the certificate, the time or the status.
 */
export type DeliveryFailure = "name" | "address" | "connection" | "certificate" | "timeout" | "status" | "secret";

export interface WebhookTables {
  webhooks: WebhooksTable;
  webhook_secrets: WebhookSecretsTable;
  webhook_deliveries: WebhookDeliveriesTable;
}

/** How long the delivery of an event is kept after it was queued, so that operators can repeat it. */
const DELIVERY_KEPT_SECONDS = 30 * DAY_SECONDS;

export const WEBHOOK_TABLES = {
  webhooks: { restored: "always" },
  webhook_secrets: { restored: "always", ends: [{ column: "expires_at", keptSeconds: TOKEN_KEPT_SECONDS }] },
  // receivers drop what they have had: it has the same id
  webhook_deliveries: {
    restored: "always",
    ends: [{ column: "queued_at", keptSeconds: DELIVERY_KEPT_SECONDS }],
    exported: { as: "events" },
  },
} as const satisfies TableRules<WebhookTables>;
