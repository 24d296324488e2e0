import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { actorIn } from "../../../../../lib/access/principal.ts";
import { unsuspendUser } from "../../../../../lib/admin/suspension.ts";
import { PLAIN_ACT } from "../../../../../lib/api/admin_entries.ts";
import { Changed } from "../../../../../lib/admin/schema.ts";

export const handler = endpoints({
  POST: endpoint({
    ...PLAIN_ACT,
    operationId: "unsuspendAccount",
    summary: "Lift a suspension",
    description: "Nothing that has ended comes back.",
    returns: { 200: Changed },
  }, async ({ services, caller, params, input: { reason } }) => {
    const changed = await unsuspendUser(services, { who: params.id, by: actorIn(caller), reason });
    return { success: true, message: changed ? "Suspension lifted" : "The account was not suspended", changed };
  }),
});
