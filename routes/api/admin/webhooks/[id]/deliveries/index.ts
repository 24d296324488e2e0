import { endpoint, endpoints } from "../../../../../../lib/web/endpoints/endpoint.ts";
import { listDeliveries } from "../../../../../../lib/webhooks/delivery_list.ts";
import { deliveryPageView } from "../../../../../../lib/webhooks/webhook_views.ts";
import { ADMIN_READ } from "../../../../../../lib/api/admin_entries.ts";
import { ListSchema } from "../../../../../../lib/schemas/list.ts";
import { DeliveryList } from "../../../../../../lib/webhooks/schema.ts";

export const handler = endpoints({
  GET: endpoint({
    ...ADMIN_READ,
    caller: "adminSession",
    operationId: "listDeliveries",
    summary: "List what a webhook got",
    description: "Newest first, for 30 days.",
    query: ListSchema,
    returns: { 200: DeliveryList },
    sends: ["Link"],
  }, async ({ services, params, query: { limit, cursor } }) => {
    return deliveryPageView(await listDeliveries(services.db, { webhookId: params.id, limit, after: cursor }));
  }),
});
