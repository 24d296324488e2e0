import { actorIn } from "../../../../../lib/access/principal.ts";
import { endGrantsOfClient } from "../../../../../lib/admin/client_grants.ts";
import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";

export const handler = endpoints({
  POST: endpoint(
    "POST /api/admin/clients/{client}/end-grants",
    async ({ services, caller, params: { client: clientId }, input: { reason } }) => ({
      success: true,
      message: "Grants ended",
      ended: await endGrantsOfClient(services, { clientId, by: actorIn(caller), reason }),
    }),
  ),
});
