import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { actorIn } from "../../../../../lib/access/principal.ts";
import { extendSecondFactor } from "../../../../../lib/admin/factors.ts";
import { REASONED_ACT } from "../../../../../lib/api/admin_entries.ts";
import { Changed } from "../../../../../lib/admin/schema.ts";

export const handler = endpoints({
  POST: endpoint(
    {
      ...REASONED_ACT,
      caller: "adminSession",
      operationId: "extendSecondFactorOf",
      summary: "Give someone more time to set up a second factor",
      description: "For `SECOND_FACTOR_GRACE_DAYS`, at least a day, their sessions do not wait, and the way by which " +
        "they log in is proof enough to set one up. Nobody gives time to themselves.",
      returns: { 200: Changed },
    },
    async ({ services, caller, params, input: { reason } }) => {
      const changed = await extendSecondFactor(services, { who: params.id, by: actorIn(caller), reason });
      return {
        success: true,
        message: changed ? "More time given" : "No second factor of someone else is missing",
        changed,
      };
    },
  ),
});
