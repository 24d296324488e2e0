import { actorIn } from "../../../../../lib/access/principal.ts";
import { groupNamesOf, setGroups } from "../../../../../lib/groups/membership.ts";
import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { ADMIN_ACT } from "../../../../../lib/api/admin_entries.ts";
import { GroupsChanged, GroupsSchema } from "../../../../../lib/admin/schema.ts";

export const handler = endpoints({
  PUT: endpoint({
    ...ADMIN_ACT,
    caller: "adminSession",
    operationId: "setGroupsOf",
    summary: "Say which groups someone is in",
    description: "What a provider says about the person stays. Apps learn of it at the next login, refresh or check.",
    body: GroupsSchema,
    returns: { 200: GroupsChanged },
    errors: ["TOO_MANY"],
  }, async ({ services, caller, params: { id }, input }) => {
    await setGroups(services, { userId: id, by: actorIn(caller), ...input });
    return { success: true, groups: await groupNamesOf(services.db, { userId: id, now: services.now() }) };
  }),
});
