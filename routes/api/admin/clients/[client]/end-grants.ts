import { actorIn } from "../../../../../lib/access/principal.ts";
import { endGrantsOfClient } from "../../../../../lib/admin/client_grants.ts";
import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { REASONED_ACT } from "../../../../../lib/api/admin_entries.ts";
import { GrantsEnded } from "../../../../../lib/admin/schema.ts";

export const handler = endpoints({
  POST: endpoint(
    {
      ...REASONED_ACT,
      operationId: "endGrantsOf",
      summary: "End all sign-ins at an app",
      description: "Also those that stay connected without a session. What people have allowed the app stays.",
      returns: { 200: GrantsEnded },
    },
    async ({ services, caller, params: { client: clientId }, input: { reason } }) => ({
      success: true,
      message: "Grants ended",
      ended: await endGrantsOfClient(services, { clientId, by: actorIn(caller), reason }),
    }),
  ),
});
