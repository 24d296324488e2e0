import { actorIn } from "../../../../../lib/access/principal.ts";
import { groupNamesOf, setGroups } from "../../../../../lib/groups/membership.ts";
import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";

export const handler = endpoints({
  PUT: endpoint("PUT /api/admin/users/{id}/groups", async ({ services, caller, params: { id }, input }) => {
    await setGroups(services, { userId: id, by: actorIn(caller), ...input });
    return { success: true, groups: await groupNamesOf(services.db, { userId: id, now: services.now() }) };
  }),
});
