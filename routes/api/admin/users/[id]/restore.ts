import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { actorIn } from "../../../../../lib/access/principal.ts";
import { keepUser } from "../../../../../lib/admin/removal.ts";
import { REASONED_ACT } from "../../../../../lib/api/admin_entries.ts";
import { Changed } from "../../../../../lib/admin/schema.ts";

export const handler = endpoints({
  POST: endpoint({
    ...REASONED_ACT,
    operationId: "restoreAccountOf",
    summary: "Keep an account that will be deleted",
    description: "Until the deletion begins. Sessions and API tokens do not come back. An email says so to the owner.",
    returns: { 200: Changed },
  }, async ({ services, caller, params, input: { reason } }) => {
    const changed = await keepUser(services, { who: params.id, by: actorIn(caller), reason });
    return { success: true, message: changed ? "Deletion canceled" : "The account was not being deleted", changed };
  }),
});
