import { checkGroups, findCheckedUser, identityHeaders, refuseCheck } from "../../lib/web/authentication/auth_check.ts";
import { endpoints, plainEndpoint } from "../../lib/web/endpoints/endpoint.ts";

/** For reverse proxies: nginx auth_request, Caddy forward_auth and Traefik ForwardAuth. */
export const handler = endpoints({
  GET: plainEndpoint("GET /auth/check", async (ctx) => {
    const user = await findCheckedUser(ctx);
    if (user === null) return await refuseCheck(ctx);
    return new Response(null, { status: 204, headers: identityHeaders(user, await checkGroups(ctx, user)) });
  }),
});
