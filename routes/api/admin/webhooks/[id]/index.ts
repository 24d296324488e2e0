import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { actorIn } from "../../../../../lib/access/principal.ts";
import { deleteWebhook } from "../../../../../lib/webhooks/webhook.ts";
import { ADMIN_ACT } from "../../../../../lib/api/admin_entries.ts";

export const handler = endpoints({
  DELETE: endpoint({
    ...ADMIN_ACT,
    caller: "adminSession",
    operationId: "deleteWebhook",
    summary: "Delete a webhook",
    returns: { 204: null },
  }, ({ services, caller, params }) => {
    return deleteWebhook(services, { id: params.id, by: actorIn(caller) });
  }),
});
