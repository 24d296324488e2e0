import { connectedAppView, listConnectedApps } from "../../../../lib/authorization_server/connected_apps.ts";
import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";

export const handler = endpoints({
  GET: endpoint("GET /api/account/apps", async ({ services, caller }) => {
    const apps = await listConnectedApps(services, caller.user);
    return { data: apps.map((app) => connectedAppView(services.config, app)) };
  }),
});
