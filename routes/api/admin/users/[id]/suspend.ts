import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { actorIn } from "../../../../../lib/access/principal.ts";
import { suspendUser } from "../../../../../lib/admin/suspension.ts";
import { REASONED_ACT } from "../../../../../lib/api/admin_entries.ts";
import { Changed } from "../../../../../lib/admin/schema.ts";

export const handler = endpoints({
  POST: endpoint({
    ...REASONED_ACT,
    operationId: "suspendAccount",
    summary: "Suspend an account",
    description: "Ends its sessions and API tokens, voids emailed links and codes, and hides it from lists.",
    returns: { 200: Changed },
    errors: ["LAST_ADMIN"],
  }, async ({ services, caller, params, input: { reason } }) => {
    const changed = await suspendUser(services, { who: params.id, by: actorIn(caller), reason });
    return { success: true, message: changed ? "Account suspended" : "The account was suspended already", changed };
  }),
});
