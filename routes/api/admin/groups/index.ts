import { listGroups } from "../../../../lib/groups/group.ts";
import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";

export const handler = endpoints({
  GET: endpoint("GET /api/admin/groups", async ({ services }) => ({
    data: await listGroups(services.db, services.now()),
  })),
});
