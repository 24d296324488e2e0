import { getGroup, groupNameIn } from "../../../../../lib/groups/group.ts";
import { listMembers } from "../../../../../lib/groups/membership.ts";
import { cursorOfId } from "../../../../../lib/schemas/list.ts";
import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";

export const handler = endpoints({
  GET: endpoint("GET /api/admin/groups/{name}/members", async ({ services, params, query: { limit, cursor } }) => {
    const { db } = services;
    const { name } = await getGroup(db, { name: groupNameIn(params), now: services.now() });
    const { members, next } = await listMembers(db, { name, now: services.now(), limit, after: cursor });
    return { data: members, nextCursor: next && cursorOfId(next) };
  }),
});
