import { actorIn } from "../../../../../lib/access/principal.ts";
import { openUpload } from "../../../../../lib/admin/uploads.ts";
import { linkView } from "../../../../../lib/uploads/private/links.ts";
import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";

export const handler = endpoints({
  POST: endpoint("POST /api/admin/uploads/{id}/link", async ({ services, caller, params, input, atCommit }) => {
    const act = { id: params.id, by: actorIn(caller), reason: input.reason };
    return linkView(await openUpload(services, act, atCommit(linkView)));
  }),
});
