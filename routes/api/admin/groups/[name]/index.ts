import { actorIn } from "../../../../../lib/access/principal.ts";
import { deleteGroup, getGroup, groupNameIn, saveGroup } from "../../../../../lib/groups/group.ts";
import { GroupSchema, NamedGroup, OneGroup } from "../../../../../lib/groups/schema.ts";
import { validate } from "../../../../../lib/http/parse.ts";
import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { noContent } from "../../../../../lib/web/endpoints/reply.ts";
import { ActSchema } from "../../../../../lib/admin/schema.ts";
import { ADMIN_ACT } from "../../../../../lib/api/admin_entries.ts";

export const handler = endpoints({
  PUT: endpoint({
    ...ADMIN_ACT,
    operationId: "saveGroup",
    summary: "Create a group, or give it another title",
    body: GroupSchema,
    returns: { 200: OneGroup },
    errors: ["TOO_MANY"],
  }, async ({ services, caller, params, input: { title } }) => {
    const { name } = validate(NamedGroup, params);
    await saveGroup(services, { name, title, by: actorIn(caller) });
    return { data: await getGroup(services.db, { name, now: services.now() }) };
  }),
  DELETE: endpoint({
    ...ADMIN_ACT,
    operationId: "deleteGroup",
    summary: "Delete a group",
    description: "No one is in it any longer. Not while an app or a setting names it.",
    body: ActSchema,
    bodyIsOptional: true,
    returns: { 204: null },
    errors: ["GROUP_IN_USE"],
  }, async ({ services, caller, params, input: { reason } }) => {
    await deleteGroup(services, { name: groupNameIn(params), by: actorIn(caller), reason });
    return noContent();
  }),
});
