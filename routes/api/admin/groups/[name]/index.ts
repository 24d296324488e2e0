import { actorIn } from "../../../../../lib/access/principal.ts";
import { deleteGroup, getGroup, groupNameIn, saveGroup } from "../../../../../lib/groups/group.ts";
import { NamedGroup } from "../../../../../lib/groups/schema.ts";
import { validate } from "../../../../../lib/http/parse.ts";
import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { noContent } from "../../../../../lib/web/endpoints/reply.ts";

export const handler = endpoints({
  PUT: endpoint("PUT /api/admin/groups/{name}", async ({ services, caller, params, input: { title } }) => {
    const { name } = validate(NamedGroup, params);
    await saveGroup(services, { name, title, by: actorIn(caller) });
    return { data: await getGroup(services.db, { name, now: services.now() }) };
  }),
  DELETE: endpoint("DELETE /api/admin/groups/{name}", async ({ services, caller, params }) => {
    await deleteGroup(services, { name: groupNameIn(params), by: actorIn(caller) });
    return noContent();
  }),
});
