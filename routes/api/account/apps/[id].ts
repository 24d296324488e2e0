import { disconnectApp } from "../../../../lib/authorization_server/connected_apps.ts";
import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";

export const handler = endpoints({
  DELETE: endpoint(
    {
      operationId: "removeApp",
      summary: "Disconnect an app",
      description: "Ends its grants, and forgets what you have allowed it.",
      caller: "session",
      whileClosing: "refused",
      returns: { 204: null },
      errors: ["NOT_FOUND"],
      limit: "write",
    },
    ({ services, caller, params }) => disconnectApp(services, caller, params.id),
  ),
});
