import { eventBy, lockCaller } from "../../../../lib/access/principal.ts";
import { linkView, makeLink } from "../../../../lib/uploads/private/links.ts";
import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";

export const handler = endpoints({
  POST: endpoint("POST /api/uploads/{id}/link", async ({ services, caller, params: { id }, input, atCommit }) => {
    const { expiresIn: expiresInSeconds, download } = input;
    const act = { id, by: eventBy(caller), lock: lockCaller(caller), expiresInSeconds, download };
    return linkView(await makeLink(services, act, atCommit(linkView)));
  }),
});
