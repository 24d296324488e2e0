import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";
import { actorIn } from "../../../../lib/access/principal.ts";
import { pageOf } from "../../../../lib/schemas/list.ts";
import { createWebhook, listWebhooks } from "../../../../lib/webhooks/webhook.ts";
import { secretView, webhookView } from "../../../../lib/webhooks/webhook_views.ts";

export const handler = endpoints({
  GET: endpoint("GET /api/admin/webhooks", async ({ services, query }) => {
    return pageOf((await listWebhooks(services.db)).map(webhookView), query);
  }),
  POST: endpoint("POST /api/admin/webhooks", async ({ services, caller, input, atCommit }) => {
    return secretView(await createWebhook(services, { ...input, by: actorIn(caller) }, atCommit(secretView)));
  }),
});
