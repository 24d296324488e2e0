import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { actorIn } from "../../../../../lib/access/principal.ts";
import { endAllSessions } from "../../../../../lib/admin/access.ts";

export const handler = endpoints({
  POST: endpoint(
    "POST /api/admin/users/{id}/end-sessions",
    async ({ services, caller, params, input: { reason } }) => ({
      success: true,
      message: "Sessions ended",
      ended: await endAllSessions(services, { who: params.id, by: actorIn(caller), reason }),
    }),
  ),
});
