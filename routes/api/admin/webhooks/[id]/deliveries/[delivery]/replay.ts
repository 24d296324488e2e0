import { endpoint, endpoints } from "../../../../../../../lib/web/endpoints/endpoint.ts";
import { actorIn } from "../../../../../../../lib/access/principal.ts";
import { replayDelivery } from "../../../../../../../lib/webhooks/delivery_list.ts";

export const handler = endpoints({
  POST: endpoint(
    "POST /api/admin/webhooks/{id}/deliveries/{delivery}/replay",
    async ({ services, caller, params: { id, delivery }, input }) => {
      await replayDelivery(services, { id, delivery, by: actorIn(caller), ...input });
      return { success: true, message: "The event will be sent again" } as const;
    },
  ),
});
