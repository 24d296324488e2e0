import { z } from "zod";
import { issueMessage, shownEntry } from "../errors/problem.ts";
import { said } from "../schemas/documented_rules.ts";
import {
  detailsOf,
  EVENT_KINDS,
  eventDeclaration,
  type EventKind,
  TEST_KIND,
  type WebhookKind,
} from "../activity/kinds.ts";
import { notShorter, type TextRules } from "../schemas/rules.ts";
import { lineOf, text } from "../schemas/text.ts";
import { WEB_ADDRESS } from "../schemas/user_rules.ts";
import { Amount, EntityId, like, listOf, Time } from "../schemas/views.ts";

/** Where a webhook is sent. Whether it may be sent there depends on the configuration. */
const WEBHOOK_URL: TextRules = { ...WEB_ADDRESS, rules: [notShorter(1), ...WEB_ADDRESS.rules] };

const KINDS_MAX = 100;

/** A webhook to add. A kind that is listed twice counts once. */
export const WebhookSchema = z.object({
  url: text(WEBHOOK_URL, {
    pattern: "^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/\\\\?#@]+(?:[/?#]\\S*)?$",
    description: `An https URL on the public Internet, without credentials. ${said("oneLine", "trimmed", "encoded")}`,
    sample: "https://hooks.example.com/events",
  }),
  kinds: z.array(
    z.enum(EVENT_KINDS, { error: ({ input }) => issueMessage({ rule: "eventKind", kind: shownEntry(input) }) }),
    {
      error: ({ input }) => issueMessage({ rule: input === undefined ? "required" : "eventKindList" }),
    },
  )
    .min(1, issueMessage({ rule: "eventKinds" })).max(KINDS_MAX, issueMessage({ rule: "tooMany" }))
    .transform((kinds) => EVENT_KINDS.filter((kind) => kinds.includes(kind))),
});
export type NewWebhook = z.infer<typeof WebhookSchema>;

/** Returns the form that adds a webhook: each kind is a checkbox of its own, and `every` is all that there can be. */
export function webhookFormSchema(all: EventKind[]) {
  return z.preprocess(
    (fields: Record<string, unknown>) => ({
      url: fields.url,
      kinds: "every" in fields ? all : EVENT_KINDS.filter((kind) => Object.hasOwn(fields, kind)),
    }),
    WebhookSchema,
  );
}

/** The form that acts on a webhook: with a button of its own, or with that of a delivery to send again. */
export const WebhookActFormSchema = z.object({
  action: z.enum(["test", "rotate", "enable", "delete"]).optional(),
  replay: lineOf({ max: 64 }).optional(),
});
export type WebhookActForm = z.infer<typeof WebhookActFormSchema>;

/** A webhook as admins see it. */
export const WebhookView = z.object({
  id: EntityId,
  url: like("https://hooks.example.com/events"),
  kinds: z.array(z.enum(EVENT_KINDS)),
  createdAt: Time,
  disabledAt: Time.nullable(),
});
export type WebhookView = z.infer<typeof WebhookView>;

export const WebhookList = listOf(WebhookView);
/** The only responses that contain the secret. */
export const WebhookWithSecretView = z.object({
  data: WebhookView,
  secret: like("whsec_...").meta({ description: "Signs what the webhook gets, as Standard Webhooks says" }),
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

/** What a webhook gets about an event. Source: Standard Webhooks, "Payload structure". */
export function webhookMessage(kind: WebhookKind) {
  const userId = EntityId.meta({ description: "The account that it is about" });
  const isGeneral = kind === TEST_KIND || eventDeclaration(kind).isGeneral;
  return z.object({
    type: z.literal(kind),
    timestamp: z.string().meta({ format: "date-time", description: "When it happened" }),
    data: z.object({
      userId: isGeneral ? userId.nullable() : userId,
      actorId: EntityId.nullable().meta({
        description: "The user who caused it; null if unknown, or if it was no user",
      }),
      actor: like("client:nightly-job").nullable().meta({
        description: "Who caused it, if it was no user: `command line`, or `client:` and the id of an app",
      }),
      details: kind === TEST_KIND ? z.object({}) : detailsOf(kind),
    }),
  });
}
