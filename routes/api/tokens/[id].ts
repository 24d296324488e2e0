import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { deleteToken } from "../../../lib/access/token_list.ts";

export const handler = endpoints({
  DELETE: endpoint({
    operationId: "deleteToken",
    summary: "End an API token",
    caller: "session",
    whileClosing: "refused",
    returns: { 204: null },
    errors: ["NOT_FOUND"],
    limit: "security",
  }, ({ services, caller, params }) => {
    return deleteToken(services, caller, params.id);
  }),
});
