import { findCheckedUser, identityHeaders, refuseCheck } from "../../lib/web/authentication/auth_check.ts";
import { define } from "../../lib/web/state.ts";

/** For reverse proxies: nginx auth_request, Caddy forward_auth and Traefik ForwardAuth. */
export const handler = define.handlers({
  async GET(ctx) {
    const user = await findCheckedUser(ctx);
    return user === null ? refuseCheck(ctx) : new Response(null, { status: 204, headers: identityHeaders(user) });
  },
});
