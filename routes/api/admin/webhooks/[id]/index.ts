import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { actorIn } from "../../../../../lib/access/principal.ts";
import { deleteWebhook } from "../../../../../lib/webhooks/webhook.ts";

export const handler = endpoints({
  DELETE: endpoint("DELETE /api/admin/webhooks/{id}", ({ services, caller, params }) => {
    return deleteWebhook(services, { id: params.id, by: actorIn(caller) });
  }),
});
