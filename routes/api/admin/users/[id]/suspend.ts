import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { actorIn } from "../../../../../lib/access/principal.ts";
import { suspendUser } from "../../../../../lib/admin/suspension.ts";

export const handler = endpoints({
  POST: endpoint("POST /api/admin/users/{id}/suspend", async ({ services, caller, params, input: { reason } }) => {
    const changed = await suspendUser(services, { who: params.id, by: actorIn(caller), reason });
    return { success: true, message: changed ? "Account suspended" : "The account was suspended already", changed };
  }),
});
