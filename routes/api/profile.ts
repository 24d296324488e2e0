import { endpoint, endpoints } from "../../lib/web/endpoints/endpoint.ts";
import { updateProfile } from "../../lib/accounts/profile.ts";
import { expectedVersion } from "../../lib/http/json.ts";
import { profileView } from "../../lib/users/user_views.ts";

export const handler = endpoints({
  GET: endpoint("GET /api/profile", ({ caller }) => ({ user: profileView(caller.user) })),
  PUT: endpoint("PUT /api/profile", async ({ services, caller, input, ctx }) => {
    const isExpected = expectedVersion(ctx.req, profileView);
    return { success: true, user: profileView(await updateProfile(services, caller, input, isExpected)) };
  }),
});
