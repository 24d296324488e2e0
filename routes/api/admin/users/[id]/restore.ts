import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { actorIn } from "../../../../../lib/access/principal.ts";
import { keepUser } from "../../../../../lib/admin/removal.ts";

export const handler = endpoints({
  POST: endpoint("POST /api/admin/users/{id}/restore", async ({ services, caller, params, input: { reason } }) => {
    const changed = await keepUser(services, { who: params.id, by: actorIn(caller), reason });
    return { success: true, message: changed ? "Deletion canceled" : "The account was not being deleted", changed };
  }),
});
