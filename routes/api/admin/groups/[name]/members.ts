import { getGroup, groupNameIn } from "../../../../../lib/groups/group.ts";
import { listMembers } from "../../../../../lib/groups/membership.ts";
import { cursorOfId, ListSchema } from "../../../../../lib/schemas/list.ts";
import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { ADMIN_READ } from "../../../../../lib/api/admin_entries.ts";
import { MemberList } from "../../../../../lib/groups/schema.ts";

export const handler = endpoints({
  GET: endpoint({
    ...ADMIN_READ,
    operationId: "listGroupMembers",
    summary: "List the people in a group",
    description: "The newest accounts first.",
    query: ListSchema,
    returns: { 200: MemberList },
    sends: ["Link"],
  }, async ({ services, params, query: { limit, cursor } }) => {
    const { db } = services;
    const { name } = await getGroup(db, { name: groupNameIn(params), now: services.now() });
    const { members, next } = await listMembers(db, { name, now: services.now(), limit, after: cursor });
    return { data: members, nextCursor: next && cursorOfId(next) };
  }),
});
