import { connectedAppView, listConnectedApps } from "../../../../lib/authorization_server/connected_apps.ts";
import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";
import { ConnectedAppList } from "../../../../lib/accounts/schema.ts";

export const handler = endpoints({
  GET: endpoint({
    operationId: "listApps",
    summary: "List the apps that may use your account",
    description: "The most recently used first. An app that is no longer registered has its id as the name.",
    caller: "session",
    whileClosing: "refused",
    returns: { 200: ConnectedAppList },
  }, async ({ services, caller }) => {
    const apps = await listConnectedApps(services, caller.user);
    return { data: apps.map((app) => connectedAppView(services.config, app)) };
  }),
});
