import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { deleteToken } from "../../../lib/access/token_list.ts";

export const handler = endpoints({
  DELETE: endpoint("DELETE /api/tokens/{id}", ({ services, caller, params }) => {
    return deleteToken(services, caller, params.id);
  }),
});
