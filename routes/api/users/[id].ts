import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { getUser } from "../../../lib/users/user_directory.ts";
import { addressView, userView } from "../../../lib/users/user_views.ts";
import { forViewer, showsAddresses } from "../../../lib/web/authentication/viewer.ts";
import { OneUser } from "../../../lib/users/schema.ts";
import { WHO_SEES_PEOPLE } from "../../../lib/web/people_list.ts";

export const handler = endpoints({
  GET: endpoint({
    operationId: "getUser",
    summary: "Show a user",
    description: WHO_SEES_PEOPLE,
    caller: "public",
    tokens: "users:read",
    whileClosing: "open",
    headers: ["If-None-Match"],
    returns: { 200: OneUser, 304: null },
    etagOf: "data",
    errors: ["NOT_FOUND"],
  }, async ({ services, params, ctx }) => {
    const user = await getUser(services, { id: params.id, ...forViewer(ctx) });
    return { data: { ...userView(user), ...showsAddresses(ctx) && addressView(user) } };
  }),
});
