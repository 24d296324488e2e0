import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";
import { actorIn } from "../../../../lib/access/principal.ts";
import { ListSchema, pageOf } from "../../../../lib/schemas/list.ts";
import { createWebhook, listWebhooks } from "../../../../lib/webhooks/webhook.ts";
import { secretView, webhookView } from "../../../../lib/webhooks/webhook_views.ts";
import { ADMIN_ACT, ADMIN_READ } from "../../../../lib/api/admin_entries.ts";
import { WebhookList, WebhookSchema, WebhookWithSecretView } from "../../../../lib/webhooks/schema.ts";

export const handler = endpoints({
  GET: endpoint({
    ...ADMIN_READ,
    caller: "adminSession",
    operationId: "listWebhooks",
    summary: "List webhooks",
    description: "Oldest first, without their secrets.",
    query: ListSchema,
    returns: { 200: WebhookList },
    sends: ["Link"],
  }, async ({ services, query }) => {
    return pageOf((await listWebhooks(services.db)).map(webhookView), query);
  }),
  POST: endpoint({
    ...ADMIN_ACT,
    caller: "adminSession",
    operationId: "createWebhook",
    summary: "Add a webhook",
    description: "`secret` is shown once.",
    body: WebhookSchema,
    returns: { 201: WebhookWithSecretView },
    errors: ["TOO_MANY"],
    isRepeatable: true,
  }, async ({ services, caller, input, atCommit }) => {
    return secretView(await createWebhook(services, { ...input, by: actorIn(caller) }, atCommit(secretView)));
  }),
});
