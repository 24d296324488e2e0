import type { AnyCaller } from "../../../../../lib/access/principal.ts";
import { getGroup, groupNameIn } from "../../../../../lib/groups/group.ts";
import { listMembers } from "../../../../../lib/groups/membership.ts";
import { cursorOfId, ListSchema } from "../../../../../lib/schemas/list.ts";
import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { ADMIN_READ } from "../../../../../lib/api/admin_entries.ts";
import { MemberList } from "../../../../../lib/groups/schema.ts";

export const handler = endpoints({
  GET: endpoint({
    ...ADMIN_READ,
    serviceScope: "groups:read",
    operationId: "listGroupMembers",
    summary: "List the people in a group",
    description: "The newest accounts first. An app that acts as itself sees addresses with `users:emails` or `admin`.",
    query: ListSchema,
    returns: { 200: MemberList },
    sends: ["Link"],
  }, async ({ services, caller, params, query: { limit, cursor } }) => {
    const { db } = services;
    const { name } = await getGroup(db, { name: groupNameIn(params), now: services.now() });
    const { members, next } = await listMembers(db, { name, now: services.now(), limit, after: cursor });
    const data = mayReadAddresses(caller) ? members : members.map((member) => ({ ...member, email: "" }));
    return { data, nextCursor: next && cursorOfId(next) };
  }),
});

/** Admins may, and their programs. */
function mayReadAddresses({ service }: AnyCaller): boolean {
  return service === undefined || service.scopes.some((scope) => scope === "admin" || scope === "users:emails");
}
