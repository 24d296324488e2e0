import { listGroups } from "../../../../lib/groups/group.ts";
import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";
import { ADMIN_READ } from "../../../../lib/api/admin_entries.ts";
import { GroupList } from "../../../../lib/groups/schema.ts";

export const handler = endpoints({
  GET: endpoint({
    ...ADMIN_READ,
    serviceScope: "groups:read",
    operationId: "listGroups",
    summary: "List the groups",
    description: "By name.",
    returns: { 200: GroupList },
  }, async ({ services }) => ({
    data: await listGroups(services.db, services.now()),
  })),
});
