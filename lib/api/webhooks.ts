import { ActSchema } from "../admin/schema.ts";
import { ListSchema } from "../schemas/list.ts";
import { Done } from "../schemas/views.ts";
import { DeliveryList, WebhookList, WebhookSchema, WebhookWithSecretView } from "../webhooks/schema.ts";
import { entries } from "./entry.ts";

const READ = { caller: "adminSession", whileClosing: "refused" } as const;
const ACT = { ...READ, needsProof: true, limit: "write" } as const;
/** An act that may have a reason. */
const PLAIN = { ...ACT, body: ActSchema, bodyIsOptional: true, isRepeatable: true } as const;

/** Where events are sent. No API token can touch it. */
export const WEBHOOKS = entries({
  "GET /api/admin/webhooks": {
    ...READ,
    operationId: "listWebhooks",
    summary: "List webhooks",
    description: "Oldest first, without their secrets.",
    query: ListSchema,
    returns: { 200: WebhookList },
    sends: ["Link"],
  },
  "POST /api/admin/webhooks": {
    ...ACT,
    operationId: "createWebhook",
    summary: "Add a webhook",
    description: "`secret` is shown once.",
    body: WebhookSchema,
    returns: { 201: WebhookWithSecretView },
    errors: ["TOO_MANY"],
    isRepeatable: true,
  },
  "DELETE /api/admin/webhooks/{id}": {
    ...ACT,
    operationId: "deleteWebhook",
    summary: "Delete a webhook",
    returns: { 204: null },
  },
  "POST /api/admin/webhooks/{id}/rotate": {
    ...PLAIN,
    operationId: "replaceWebhookSecret",
    summary: "Replace the secret of a webhook",
    description: "For 24 hours the previous secret signs too. `secret` is shown once.",
    returns: { 200: WebhookWithSecretView },
    errors: ["TOO_MANY"],
  },
  "GET /api/admin/webhooks/{id}/deliveries": {
    ...READ,
    operationId: "listDeliveries",
    summary: "List what a webhook got",
    description: "Newest first, for 30 days.",
    query: ListSchema,
    returns: { 200: DeliveryList },
    sends: ["Link"],
  },
  "POST /api/admin/webhooks/{id}/deliveries/{delivery}/replay": {
    ...PLAIN,
    operationId: "sendDeliveryAgain",
    summary: "Send an event once more",
    description: "`webhook-id` stays the same.",
    returns: { 200: Done },
  },
});
