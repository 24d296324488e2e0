import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { getUser } from "../../../lib/users/user_directory.ts";
import { userView } from "../../../lib/users/user_views.ts";
import { forViewer } from "../../../lib/web/authentication/viewer.ts";

export const handler = endpoints({
  GET: endpoint("GET /api/users/{id}", async ({ services, params, ctx }) => ({
    data: userView(await getUser(services, { id: params.id, ...forViewer(ctx) })),
  })),
});
