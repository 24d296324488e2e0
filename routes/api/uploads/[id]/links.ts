import { eventBy, lockCaller } from "../../../../lib/access/principal.ts";
import { revokeLinks } from "../../../../lib/uploads/private/links.ts";
import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";

export const handler = endpoints({
  DELETE: endpoint("DELETE /api/uploads/{id}/links", ({ services, caller, params: { id } }) => {
    return revokeLinks(services, { id, by: eventBy(caller), lock: lockCaller(caller) });
  }),
});
