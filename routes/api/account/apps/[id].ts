import { disconnectApp } from "../../../../lib/authorization_server/connected_apps.ts";
import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";

export const handler = endpoints({
  DELETE: endpoint(
    "DELETE /api/account/apps/{id}",
    ({ services, caller, params }) => disconnectApp(services, caller, params.id),
  ),
});
