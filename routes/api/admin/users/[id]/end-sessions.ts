import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { actorIn } from "../../../../../lib/access/principal.ts";
import { endAllSessions } from "../../../../../lib/admin/access.ts";
import { PLAIN_ACT } from "../../../../../lib/api/admin_entries.ts";
import { SessionsEnded } from "../../../../../lib/admin/schema.ts";

export const handler = endpoints({
  POST: endpoint(
    {
      ...PLAIN_ACT,
      operationId: "endSessionsOf",
      summary: "Log someone out everywhere",
      description: "API tokens stay.",
      returns: { 200: SessionsEnded },
    },
    async ({ services, caller, params, input: { reason } }) => ({
      success: true,
      message: "Sessions ended",
      ended: await endAllSessions(services, { who: params.id, by: actorIn(caller), reason }),
    }),
  ),
});
