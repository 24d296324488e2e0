import { z } from "zod";
import { EVENT_KINDS, TEST_KIND } from "../event_kinds.ts";
import { Amount, EntityId, listOf, Time } from "./common.ts";

/** A webhook as admins see it. */
export const WebhookView = z.object({
  id: EntityId,
  url: z.string(),
  kinds: z.array(z.enum(EVENT_KINDS)),
  createdAt: Time,
  disabledAt: Time.nullable(),
});
export type WebhookView = z.infer<typeof WebhookView>;

export const WebhookList = listOf(WebhookView);
/** The only responses that contain the secret. */
export const WebhookWithSecretView = z.object({
  data: WebhookView,
  secret: z.string().meta({ description: "Signs what the webhook gets, as Standard Webhooks says" }),
});

/** A delivery as admins see it. */
export const DeliveryView = z.object({
  id: EntityId,
  eventId: EntityId.meta({ description: "The `webhook-id` of every attempt" }),
  kind: z.enum([...EVENT_KINDS, TEST_KIND]),
  status: z.enum(["waiting", "sent", "failed"]),
  attempts: Amount,
  createdAt: Time.meta({ description: "When the event happened" }),
  endedAt: Time.nullable(),
  nextAttemptAt: Time.nullable(),
  failure: z.enum(["name", "address", "connection", "certificate", "timeout", "status", "secret"]).nullable()
    .meta({ description: "Why the last attempt failed" }),
  responseStatus: Amount.nullable(),
});
export type DeliveryView = z.infer<typeof DeliveryView>;

export const DeliveryList = listOf(DeliveryView);
