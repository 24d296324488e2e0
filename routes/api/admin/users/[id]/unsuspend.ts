import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { actorIn } from "../../../../../lib/access/principal.ts";
import { unsuspendUser } from "../../../../../lib/admin/suspension.ts";

export const handler = endpoints({
  POST: endpoint("POST /api/admin/users/{id}/unsuspend", async ({ services, caller, params, input: { reason } }) => {
    const changed = await unsuspendUser(services, { who: params.id, by: actorIn(caller), reason });
    return { success: true, message: changed ? "Suspension lifted" : "The account was not suspended", changed };
  }),
});
