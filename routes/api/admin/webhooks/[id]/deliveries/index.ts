import { endpoint, endpoints } from "../../../../../../lib/web/endpoints/endpoint.ts";
import { listDeliveries } from "../../../../../../lib/webhooks/delivery_list.ts";
import { deliveryPageView } from "../../../../../../lib/webhooks/webhook_views.ts";

export const handler = endpoints({
  GET: endpoint("GET /api/admin/webhooks/{id}/deliveries", async ({ services, params, query: { limit, cursor } }) => {
    return deliveryPageView(await listDeliveries(services.db, { webhookId: params.id, limit, after: cursor }));
  }),
});
