import { endpoint, endpoints } from "../../../../../../../lib/web/endpoints/endpoint.ts";
import { actorIn } from "../../../../../../../lib/access/principal.ts";
import { replayDelivery } from "../../../../../../../lib/webhooks/delivery_list.ts";
import { PLAIN_ACT } from "../../../../../../../lib/api/admin_entries.ts";
import { Done } from "../../../../../../../lib/schemas/views.ts";

export const handler = endpoints({
  POST: endpoint(
    {
      ...PLAIN_ACT,
      caller: "adminSession",
      operationId: "sendDeliveryAgain",
      summary: "Send an event once more",
      description: "`webhook-id` stays the same.",
      returns: { 200: Done },
    },
    async ({ services, caller, params: { id, delivery }, input }) => {
      await replayDelivery(services, { id, delivery, by: actorIn(caller), ...input });
      return { success: true, message: "The event will be sent again" } as const;
    },
  ),
});
