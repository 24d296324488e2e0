import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { actorIn } from "../../../../../lib/access/principal.ts";
import { resetFactors } from "../../../../../lib/admin/factors.ts";
import { REASONED_ACT } from "../../../../../lib/api/admin_entries.ts";
import { Changed } from "../../../../../lib/admin/schema.ts";

export const handler = endpoints({
  POST: endpoint(
    {
      ...REASONED_ACT,
      caller: "adminSession",
      operationId: "resetFactorsOf",
      summary: "Remove the second factors that someone has lost",
      description: "The authenticator app and the recovery codes. Passkeys stay. An email says so to the owner.",
      returns: { 200: Changed },
    },
    async ({ services, caller, params, input: { reason } }) => {
      const changed = await resetFactors(services, { who: params.id, by: actorIn(caller), reason });
      return { success: true, message: changed ? "Second factors removed" : "There was no second factor", changed };
    },
  ),
});
