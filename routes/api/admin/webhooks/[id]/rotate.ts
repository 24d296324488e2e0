import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { actorIn } from "../../../../../lib/access/principal.ts";
import { rotateSecret } from "../../../../../lib/webhooks/webhook.ts";
import { secretView } from "../../../../../lib/webhooks/webhook_views.ts";

export const handler = endpoints({
  POST: endpoint("POST /api/admin/webhooks/{id}/rotate", async ({ services, caller, params, input, atCommit }) => {
    const act = { id: params.id, by: actorIn(caller), ...input };
    return secretView(await rotateSecret(services, act, atCommit(secretView)));
  }),
});
