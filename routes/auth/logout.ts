import { logOut } from "../../lib/access/session.ts";
import { withoutSessionCookie } from "../../lib/web/authentication/session_cookie.ts";
import { clientOf } from "../../lib/web/client.ts";
import { endpoint, endpoints } from "../../lib/web/endpoints/endpoint.ts";
import { reply } from "../../lib/web/endpoints/reply.ts";

export const handler = endpoints({
  POST: endpoint("POST /auth/logout", async ({ services, caller: sessionIds, ctx }) => {
    await logOut(services, sessionIds, clientOf(ctx));
    return reply({ success: true, message: "Logged out" }, (response) => withoutSessionCookie(response, services));
  }),
});
