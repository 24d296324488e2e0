import { actorIn } from "../../../../../lib/access/principal.ts";
import { setManagedGroups, visibleGroups } from "../../../../../lib/groups/managed_groups.ts";
import { groupNamesOf, setGroups } from "../../../../../lib/groups/membership.ts";
import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { ADMIN_ACT } from "../../../../../lib/api/admin_entries.ts";
import { GroupsChanged, GroupsSchema } from "../../../../../lib/admin/schema.ts";

export const handler = endpoints({
  PUT: endpoint({
    ...ADMIN_ACT,
    caller: "adminSession",
    serviceScope: "groups:write",
    operationId: "setGroupsOf",
    summary: "Say which groups someone is in",
    description: "What a provider says about the person stays. Apps learn of it at the next login, refresh or check. " +
      "An app that acts as itself says so only of the groups that it manages, and what admins say stays too. Without `groups:read`, the answer has only these.",
    body: GroupsSchema,
    returns: { 200: GroupsChanged },
    errors: ["TOO_MANY"],
  }, async ({ services, caller, params: { id }, input }) => {
    const choice = { userId: id, by: actorIn(caller), ...input };
    if (caller.service === undefined) await setGroups(services, choice);
    else await setManagedGroups(services, { ...choice, clientId: caller.service.clientId });
    const groups = await groupNamesOf(services.db, { userId: id, now: services.now() });
    const { service } = caller;
    return { success: true, groups: service === undefined ? groups : visibleGroups(services.config, service, groups) };
  }),
});
