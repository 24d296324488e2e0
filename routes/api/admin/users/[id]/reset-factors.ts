import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { actorIn } from "../../../../../lib/access/principal.ts";
import { resetFactors } from "../../../../../lib/admin/factors.ts";

export const handler = endpoints({
  POST: endpoint(
    "POST /api/admin/users/{id}/reset-factors",
    async ({ services, caller, params, input: { reason } }) => {
      const changed = await resetFactors(services, { who: params.id, by: actorIn(caller), reason });
      return { success: true, message: changed ? "Second factors removed" : "There was no second factor", changed };
    },
  ),
});
