import {
  connectedAppView,
  listAvailableApps,
  listConnectedApps,
} from "../../../../lib/authorization_server/connected_apps.ts";
import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";
import { AppList, AppListSchema } from "../../../../lib/accounts/schema.ts";

export const handler = endpoints({
  GET: endpoint({
    operationId: "listApps",
    summary: "List the apps that may use your account",
    description:
      "The most recently used first. An app that is no longer registered has its id as the name. With `available=true`, " +
      "the apps that you may open, by name.",
    caller: "session",
    whileClosing: "refused",
    query: AppListSchema,
    returns: { 200: AppList },
  }, async ({ services, caller, query: { available }, ctx }) => {
    if (available) return { data: await listAvailableApps(services, caller.user) };
    const apps = await listConnectedApps(services, caller.user);
    return { data: apps.map((app) => connectedAppView(services.config, app, ctx.state.language)) };
  }),
});
