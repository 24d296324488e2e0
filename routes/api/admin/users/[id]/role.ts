import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { actorIn } from "../../../../../lib/access/principal.ts";
import { changeRole } from "../../../../../lib/admin/role.ts";

export const handler = endpoints({
  PUT: endpoint("PUT /api/admin/users/{id}/role", async ({ services, caller, params, input: { role, reason } }) => {
    await changeRole(services, { who: params.id, by: actorIn(caller), role, reason });
    return { success: true, role };
  }),
});
